import 'core-js/stable';
import '../../main/engine/engineWorker.ts';
