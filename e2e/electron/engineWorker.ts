import 'core-js/stable';
import './copies.ts';
import '../../main/workers/engineWorker.ts';
