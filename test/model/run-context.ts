import assert from 'node:assert/strict';
import { ON_POSTGRES } from '../support/postgres.ts';
import type { Choices } from './choices.ts';
import type { CallAnswer, Caller, Installation } from './installation.ts';
import type { ServiceLog } from './log.ts';
import type { ModelTargets } from './targets.ts';

/**
 * How far the service's clock may be from this process's. On PostgreSQL it goes by the server's, which a busy machine has it
 * know by half of a slow answer only.
 */
export const CLOCK_TOLERANCE_MS = ON_POSTGRES ? 2_500 : 0;

/** What the processes do at a time: deliver, queue only, or nothing about webhooks, which are Read Only then. */
export type Mode = 'delivering' | 'queueing' | 'read-only';

/** What all parts of a run share. */
export class RunContext {
  readonly choices: Choices;
  readonly targets: ModelTargets;
  readonly installation: Installation;
  readonly service: ServiceLog;
  /** Told what is done, step by step. */
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

  /** Any of those who call the service. */
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
