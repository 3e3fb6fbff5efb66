import 'core-js/stable';
import './copies.ts';
import '../../main/engine/engineWorker.ts';
