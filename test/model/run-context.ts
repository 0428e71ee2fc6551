import assert from 'node:assert/strict';
import { ON_POSTGRES } from '../support/postgres.ts';
import type { Choices } from './choices.ts';
import type { CallAnswer, Caller, Installation } from './installation.ts';
import type { ServiceLog } from './log.ts';
import type { ModelTargets } from './targets.ts';

/**
 * How far the service's clock may differ from that of this process. On PostgreSQL it follows the server's clock. On a busy
 * machine its error is up to half the time of a slow response.
 */
export const CLOCK_TOLERANCE_MS = ON_POSTGRES ? 2_500 : 0;

/** The mode of the processes: deliver, queue only, or webhooks disabled, which makes them Read Only. */
export type Mode = 'delivering' | 'queueing' | 'read-only';

/** The state that all parts of a run share. */
export class RunContext {
  readonly choices: Choices;
  readonly targets: ModelTargets;
  readonly installation: Installation;
  readonly service: ServiceLog;
  /** Called with each step. */
  readonly trace: (text: string) => void;
  mode: Mode = 'delivering';
  readonly #callers: readonly Caller[];

  constructor(parts: {
    choices: Choices;
    targets: ModelTargets;
    installation: Installation;
    callers: readonly Caller[];
    maxReceives: number;
    trace: (text: string) => void;
  }) {
    this.choices = parts.choices;
    this.targets = parts.targets;
    this.installation = parts.installation;
    this.trace = parts.trace;
    this.#callers = parts.callers;
    this.service = { kills: [], silences: [], maxReceives: parts.maxReceives, timestamps: new Map() };
  }

  /** Picks a random caller of the service. */
  caller(): Caller {
    return this.choices.one(this.#callers)!;
  }

  /** Calls the service as anyone, and asserts that the status is one of these. */
  async call(method: string, path: string, statuses: readonly number[], body?: unknown): Promise<CallAnswer> {
    const answer = await this.installation.call(this.caller(), method, path, { body });
    const what = `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`;
    assert.ok(statuses.includes(answer.status), what);
    return answer;
  }
}
