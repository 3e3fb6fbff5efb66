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
  /** At least 1. */
  readonly threads: number;
  /** What a call may take, from when a thread begins with it. */
  readonly deadlineMs: number;
  /** A thread died of a bug, or none can start. */
  readonly onState: (state: Exclude<EngineState, {state: 'ready'}>) => void;
}

interface Task {
  readonly request: ThreadRequest;
  /** The wish that it belongs to. */
  readonly run: string;
  /** It can wait for what is looked at. */
  readonly isBackground: boolean;
  readonly resolve: (answer: unknown) => void;
}

/**
 * Threads that answer calls, each one at a time; calls wait in their order for one that is free, those in the
 * background behind all others, and leave one thread to these, where there are several. A thread that dies,
 * is over the deadline or is cancelled takes its own call with it and nothing else, and the next call that needs it
 * starts another.
 */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #threads: EngineThread[] = [];
  readonly #waiting: Task[] = [];
  readonly #underWay = new Map<EngineThread, {readonly task: Task; readonly timer: NodeJS.Timeout}>();
  readonly #ending = new Set<Promise<void>>();
  /** One could start. */
  #hasAnswered = false;
  #failure: string | null = null;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    // all at once, while the window opens
    for (let i = 0; i < options.threads; i++) this.#start();
  }

  /** Why no thread can start; null if one can. */
  get failure(): string | null {
    return this.#failure;
  }

  /** `run` names the wish that the call is part of, for {@link cancel}. */
  call<K extends keyof ThreadCalls>(
    call: K,
    args: Parameters<ThreadCalls[K]>,
    run = '',
  ): Promise<ThreadAnswer<K> | Refusal> {
    return this.#ask({request: {call, args}, run, isBackground: false}) as Promise<ThreadAnswer<K> | Refusal>;
  }

  /** As {@link call}, of what can wait. */
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

  /** Ends all that is computed for a wish that nobody has any more, and with it the threads that compute it. */
  cancel(run: string): void {
    const answer = refusal('another load took its place');
    for (const task of this.#waiting.filter(each => each.run === run)) {
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      task.resolve(answer);
    }
    for (const [thread, {task}] of [...this.#underWay]) if (task.run === run) this.#end(thread, answer);
    this.#begin();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    const answer = refusal('the program ends');
    this.#failure = answer.message;
    for (const task of this.#waiting.splice(0)) task.resolve(answer);
    for (const thread of [...this.#threads]) this.#end(thread, answer);
    await Promise.all(this.#ending);
  }

  /** Hands calls to threads as long as there are both. */
  #begin(): void {
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      const isFull = this.#threads.length === this.#options.threads;
      const thread = this.#threads.find(each => !each.isBusy) ?? (isFull ? undefined : this.#start());
      if (thread === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      this.#hand(task, thread);
    }
  }

  /** What a thread that is free begins with. */
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
      // nested too deep, for example
      task.resolve(refusal(`it cannot be computed: ${messageOf(error)}`));
      return;
    }
    const {deadlineMs} = this.#options;
    const timer = setTimeout(() => {
      this.#end(thread, refusal(`it took longer than ${deadlineMs / 1000} s, the deadline, and was ended`));
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
    // where none ever answered, another would die too
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
  const saysWhatToDo = cause.includes('npm ');
  const hint = /index\.node|addon/.test(cause) && !saysWhatToDo ? ' npm test builds its native addon.' : '';
  return `The engine cannot start: ${cause}.${hint}`;
}

function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
}
