import { Choices } from './choices.ts';
import { ContentModel } from './content-model.ts';
import { Installation } from './installation.ts';
import { type Span, tick } from './log.ts';
import { type CausedEvents, ModelWebhooks } from './model-webhooks.ts';
import type { ContentOperation } from './operation.ts';
import { Operations } from './operations.ts';
import { CLOCK_TOLERANCE_MS, type Mode, RunContext } from './run-context.ts';
import { ModelTargets } from './targets.ts';

/** The extent of a run. */
export interface RunOptions {
  /** Repeats the choices of a run, except for what its processes are doing when they are killed. */
  seed: number;
  /** At least 10. */
  operations: number;
}

/** The numbers of a run without a failure. */
export interface RunResult {
  events: number;
  webhooks: number;
  messages: number;
  attempts: number;
  kills: number;
}

const LEAST_OPERATIONS = 10;
/** The number of last steps that a failed run prints. */
const STEPS_SHOWN = 20;
const WEBHOOKS_AT_FIRST = 26;
/** Operations during which webhooks are not delivered. */
const OPERATIONS_WHILE_OFF = 6;
/** Messages that wait when a line is purged, at least. */
const PILED_UP = 3;

/**
 * Runs random operations against a running service: API clients and an administrator, targets that fail, retries, stops
 * and kills. Fails if the service differs from the specification.
 */
export async function runModel({ seed, operations }: RunOptions): Promise<RunResult> {
  if (operations < LEAST_OPERATIONS) throw new Error(`a run has at least ${LEAST_OPERATIONS} operations`);
  await using stack = new AsyncDisposableStack();
  const choices = new Choices(seed);
  const maxReceives = choices.pick([1_000, 1_000, 4]);
  const targets = stack.use(await ModelTargets.start(seed));
  const installation = stack.use(await Installation.start({ message_queue_max_receives: maxReceives }));
  const callers = await installation.callers();
  const steps: string[] = [];
  const trace = (step: string) => void steps.push(step);
  const context = new RunContext({ choices, targets, installation, callers, maxReceives, trace });
  try {
    return await new ModelRun(context).run(operations);
  } catch (error) {
    const last = steps.slice(-STEPS_SHOWN).join('\n  ');
    throw new Error(`${error instanceof Error ? error.message : error}\nthe last steps:\n  ${last}`, {
      cause: error,
    });
  }
}

class ModelRun {
  readonly #context: RunContext;
  readonly #operations: Operations;
  readonly #webhooks: ModelWebhooks;
  #events = 0;
  #keys = 0;

  constructor(context: RunContext) {
    const content = new ContentModel();
    this.#context = context;
    this.#operations = new Operations(content, context.choices);
    this.#webhooks = new ModelWebhooks(context, content);
  }

  async run(operations: number): Promise<RunResult> {
    const { choices, service } = this.#context;
    await this.#prepare();
    // These always occur; the others are left to chance.
    const certain = [
      () => this.#kill(),
      () => this.#purge(),
      () => this.#do([this.#operations.manyAccounts.add()]),
      () => this.#webhooks.removeDeadLetters(),
      () => this.#restart(),
    ];
    const part = Math.floor(operations / certain.length);
    const places = certain.map((_, n) => n * part + choices.between(0, part - 1));
    for (let n = 0; n < operations; n++) await (certain[places.indexOf(n)] ?? (() => this.#step()))();
    await this.#webhooks.finish();
    const { count, arrived } = this.#webhooks;
    return { events: this.#events, webhooks: count, ...arrived, kills: service.kills.length };
  }

  /** Creates initial content, then webhooks for it. */
  async #prepare(): Promise<void> {
    const { content, accounts } = this.#operations;
    const first: [number, () => ContentOperation | null][] = [
      [4, () => content.createFolder()],
      [5, () => content.importCourse()],
      [5, () => accounts.createAccount()],
      [2, () => content.createEquivalent()],
      [2, () => content.createBundle()],
      [6, () => accounts.addContent()],
      [6, () => accounts.register()],
    ];
    for (const [count, choose] of first) for (let n = 0; n < count; n++) await this.#do([choose()]);
    for (let n = 0; n < WEBHOOKS_AT_FIRST; n++) await this.#webhooks.create();
  }

  async #step(): Promise<void> {
    const choice = this.#context.choices.next();
    if (choice < 0.6) await this.#do([this.#operations.any()]);
    else if (choice < 0.68) await this.#do(this.#burst());
    else if (choice < 0.96) await this.#webhooks.change();
    else if (choice < 0.98) await this.#kill();
    else await this.#restart();
  }

  /** Lets messages pile up for a target that is down, and purges them. */
  async #purge(): Promise<void> {
    const webhook = await this.#webhooks.startPile();
    for (let n = 0; n < PILED_UP; n++) await this.#do([this.#operations.accounts.createAccount()]);
    await this.#webhooks.purge(webhook);
  }

  /** Operations that do not affect each other. */
  #burst(): ContentOperation[] {
    const burst: ContentOperation[] = [];
    for (let n = 0; n < 12 && burst.length < 6; n++) {
      const next = this.#operations.any();
      if (next?.concerns && burst.every((each) => areApart(each, next))) burst.push(next);
    }
    return burst;
  }

  /** Runs operations at the same time, each as one of the callers, and records the expected messages. */
  async #do(operations: readonly (ContentOperation | null)[]): Promise<void> {
    const chosen = operations.filter((each) => each !== null);
    if (chosen.length === 0) return;
    this.#context.trace(chosen.map(({ what }) => what).join(' | '));
    const done = await Promise.allSettled(chosen.map((operation) => this.#doOne(operation)));
    const caused = done.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    this.#events += caused.reduce((sum, { events }) => sum + events.length, 0);
    if (this.#context.mode !== 'read-only') this.#webhooks.expect(caused);
  }

  async #doOne(operation: ContentOperation): Promise<CausedEvents> {
    const { installation } = this.#context;
    const caller = this.#context.caller();
    const call = (method: string, path: string, body?: unknown) => {
      this.#keys += 1;
      const key = method === 'POST' ? { key: `model-${this.#keys}` } : {};
      return installation.call(caller, method, path, { body, ...key });
    };
    const start = tick();
    const wallStart = Date.now() - CLOCK_TOLERANCE_MS;
    try {
      const events = await operation.run(call, caller.email);
      const wall = { start: wallStart, end: Date.now() + CLOCK_TOLERANCE_MS };
      return { cause: operation.what, events, asked: { start, end: tick() }, wall };
    } catch (error) {
      throw new Error(`${operation.what}, by ${caller.email}: ${error}`, { cause: error });
    }
  }

  /** Kills all processes in the middle of operations, and starts them again. */
  async #kill(): Promise<void> {
    const { choices } = this.#context;
    const burst = choices.chance(0.85) ? this.#burst() : [];
    const pause = choices.between(0, 40);
    this.#context.trace(`kill after ${pause} ms`);
    await Promise.all([this.#do(burst), this.#killAfter(pause)]);
  }

  async #killAfter(pause: number): Promise<void> {
    const { installation, service } = this.#context;
    await new Promise((resolve) => setTimeout(resolve, pause));
    const kill: Span = { start: tick(), end: Number.POSITIVE_INFINITY };
    service.kills.push(kill);
    await installation.restart({ isKill: true });
    // Not before: requests of the killed processes may have been read after their death.
    kill.end = tick();
  }

  /** Stops all processes gracefully and restarts them, sometimes without delivery for a while. */
  async #restart(): Promise<void> {
    const { choices, installation } = this.#context;
    const mode = choices.pick<Mode>(['delivering', 'queueing', 'read-only']);
    this.#context.trace(`restart: ${mode}`);
    if (mode !== 'delivering') await this.#beSilent(mode);
    await installation.restart({ isKill: false });
    this.#context.mode = 'delivering';
  }

  async #beSilent(mode: Exclude<Mode, 'delivering'>): Promise<void> {
    const { choices, installation, service } = this.#context;
    const settings =
      mode === 'queueing' ? { enable_queue_polling: false } : { enable_webhooks_service: false };
    await installation.restart({ isKill: false, settings });
    this.#context.mode = mode;
    const silence: Span = { start: tick(), end: Number.POSITIVE_INFINITY };
    service.silences.push(silence);
    for (let n = 0; n < OPERATIONS_WHILE_OFF; n++) {
      if (choices.chance(0.7)) await this.#do([this.#operations.any()]);
      else await this.#webhooks.change();
    }
    silence.end = tick();
  }
}

function areApart(one: ContentOperation, other: ContentOperation): boolean {
  if (one.concerns === null || other.concerns === null) return false;
  const touches = (changes: string[], all: string[]) => changes.some((each) => all.includes(each));
  return (
    !touches(one.concerns.changes, [...other.concerns.changes, ...other.concerns.reads]) &&
    !touches(other.concerns.changes, one.concerns.reads)
  );
}
