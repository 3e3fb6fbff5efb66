import {refusal} from '../../app/base/refusal.ts';
import {messageOf} from '../../app/base/text.ts';
import type {EngineState, Refusal} from '../../app/host/contract.ts';
import {
  EngineThread,
  type EngineThreadOptions,
  type ThreadAnswer,
  type ThreadCalls,
  type ThreadRequest,
} from './engineThread.ts';

export interface ThreadsOptions extends EngineThreadOptions {
  /** How many threads to use. At least 1. */
  readonly threads: number;
  /** Longest time for a call, in ms. It starts when a thread receives the call. */
  readonly deadlineMs: number;
  /** Called if a thread has died because of a bug, or if no thread can start. */
  readonly onState: (state: Exclude<EngineState, {state: 'ready'}>) => void;
}

interface Task {
  readonly request: ThreadRequest;
  /** The name of the run that needs the call. */
  readonly run: string;
  /** Whether this is a background call. It is sent to a thread only if no ordinary call waits for a thread. */
  readonly isBackground: boolean;
  readonly resolve: (answer: unknown) => void;
}

/**
 * Distributes calls to threads. Each thread answers one call at a time, and calls wait in order for a free thread.
 * Background calls wait until no ordinary call waits. If there are several threads, background calls never occupy all
 * of them. If a call exceeds the deadline or is cancelled, the thread that works on it is ended. If a thread ends, only
 * its own call fails, and another thread is started when a call needs it. But if a thread dies before any thread has
 * answered a call, all waiting and later calls are refused.
 */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #threads: EngineThread[] = [];
  readonly #waiting: Task[] = [];
  readonly #underWay = new Map<EngineThread, {readonly task: Task; readonly timer: NodeJS.Timeout}>();
  readonly #ending = new Set<Promise<void>>();
  /** Whether any thread has answered a call, which shows that threads can start. */
  #hasAnswered = false;
  #failure: string | null = null;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    // All threads start now, while the window opens, so that the first calls do not wait for them.
    for (let i = 0; i < options.threads; i++) this.#start();
  }

  /**
   * The reason why all calls are refused: no thread can start, or the program is ending. Null if calls are accepted.
   */
  get failure(): string | null {
    return this.#failure;
  }

  /** Sends a call to a thread. `run` is the name of the run that needs it, for {@link cancel}. */
  call<K extends keyof ThreadCalls>(
    call: K,
    args: Parameters<ThreadCalls[K]>,
    run = '',
  ): Promise<ThreadAnswer<K> | Refusal> {
    return this.#ask({request: {call, args}, run, isBackground: false}) as Promise<ThreadAnswer<K> | Refusal>;
  }

  /** Like {@link call}, for work that may wait until no ordinary call waits for a thread. */
  callInBackground<K extends keyof ThreadCalls>(
    call: K,
    args: Parameters<ThreadCalls[K]>,
    run: string,
  ): Promise<ThreadAnswer<K> | Refusal> {
    return this.#ask({request: {call, args}, run, isBackground: true}) as Promise<ThreadAnswer<K> | Refusal>;
  }

  #ask(task: Omit<Task, 'resolve'>): Promise<unknown> {
    if (this.#failure !== null) return Promise.resolve(refusal(this.#failure));
    return new Promise(resolve => {
      this.#waiting.push({...task, resolve});
      this.#begin();
    });
  }

  /** Refuses all calls for a run that nobody needs any more, and ends the threads that work on them. */
  cancel(run: string): void {
    const answer = refusal('another load has replaced this one');
    for (const task of this.#waiting.filter(each => each.run === run)) {
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      task.resolve(answer);
    }
    for (const [thread, {task}] of [...this.#underWay]) if (task.run === run) this.#end(thread, answer);
    this.#begin();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    const answer = refusal('the program is ending');
    this.#failure = answer.message;
    for (const task of this.#waiting.splice(0)) task.resolve(answer);
    for (const thread of [...this.#threads]) this.#end(thread, answer);
    await Promise.all(this.#ending);
  }

  /** Sends waiting calls to free threads. */
  #begin(): void {
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      const isFull = this.#threads.length === this.#options.threads;
      const thread = this.#threads.find(each => !each.isBusy) ?? (isFull ? undefined : this.#start());
      if (thread === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      this.#hand(task, thread);
    }
  }

  /** The call that the next free thread should answer. Undefined if no call may be sent to a thread now. */
  #next(): Task | undefined {
    const inFront = this.#waiting.find(({isBackground}) => !isBackground);
    if (inFront !== undefined) return inFront;
    const behind = [...this.#underWay.values()].filter(({task}) => task.isBackground).length;
    return behind < Math.max(this.#options.threads - 1, 1) ? this.#waiting[0] : undefined;
  }

  #hand(task: Task, thread: EngineThread): void {
    try {
      thread.ask(task.request, answer => {
        this.#hasAnswered = true;
        this.#settle(thread, answer);
        this.#begin();
      });
    } catch (error) {
      // The arguments cannot be sent to a thread, for example because they are nested too deeply.
      task.resolve(refusal(`the computation cannot start: ${messageOf(error)}`));
      return;
    }
    const {deadlineMs} = this.#options;
    const timer = setTimeout(() => {
      this.#end(thread, refusal(`the computation exceeded the deadline of ${deadlineMs / 1000} s and was ended`));
      this.#begin();
    }, deadlineMs);
    this.#underWay.set(thread, {task, timer});
  }

  #settle(thread: EngineThread, answer: unknown): void {
    const underWay = this.#underWay.get(thread);
    clearTimeout(underWay?.timer);
    this.#underWay.delete(thread);
    underWay?.task.resolve(answer);
  }

  #end(thread: EngineThread, answer: Refusal): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    const ending = thread.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    this.#settle(thread, answer);
  }

  #start(): EngineThread {
    const thread = new EngineThread(this.#options, (dead, cause) => this.#handleDeath(dead, cause));
    this.#threads.push(thread);
    return thread;
  }

  #handleDeath(dead: EngineThread, cause: string): void {
    this.#threads.splice(this.#threads.indexOf(dead), 1);
    // If no thread has ever answered a call, a new thread would probably die for the same reason.
    const state = this.#hasAnswered
      ? ({state: 'restarted', message: `The engine died (${cause}) and was started again.`} as const)
      : ({state: 'failed', message: failureText(cause)} as const);
    const answer = refusal(state.message);
    this.#settle(dead, answer);
    if (this.#failure !== null) return;
    if (state.state === 'failed') {
      this.#failure = state.message;
      for (const task of this.#waiting.splice(0)) task.resolve(answer);
    }
    this.#options.onState(state);
    this.#begin();
  }
}

function failureText(cause: string): string {
  const saysWhatToDo = /npm |addon\.mjs/.test(cause);
  const isOfAddon = /index\.node|addon/.test(cause);
  const hint = isOfAddon && !saysWhatToDo ? ' npm start or npm test builds the engine’s native addon.' : '';
  return `The engine cannot start: ${cause}.${hint}`;
}
