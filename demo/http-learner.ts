import { DemoFailure } from './failure.ts';
import type { Learner } from './learner.ts';
import { PATIENCE_MS, within } from './waiting.ts';

/** What a unit reports at the beginning and after passing, by the script that the player gives it. */
const REPORTS: Readonly<Record<string, { begun: object; passed: object }>> = {
  scorm12: {
    begun: { core: { lesson_status: 'incomplete' } },
    passed: {
      core: {
        lesson_status: 'passed',
        score: { raw: 100, min: 0, max: 100 },
        session_time: '00:02:10',
        exit: '',
      },
    },
  },
  scorm2004: {
    begun: { completion_status: 'incomplete' },
    passed: {
      completion_status: 'completed',
      success_status: 'passed',
      score: { scaled: 1 },
      session_time: 'PT2M10S',
      exit: 'normal',
    },
  },
};

/** The unit that is open. */
interface OpenUnit {
  readonly player: string;
  readonly place: { unit: string; page: number; visit: number };
  readonly reports: { begun: object; passed: object };
}

/** Learns through the player's HTTP interface, as its page does. */
export class HttpLearner implements Learner {
  readonly way = "over the player's HTTP interface";
  readonly #signal: AbortSignal;
  #open: OpenUnit | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async begin(launchUrl: string): Promise<void> {
    const opened = await this.#ask(launchUrl, { redirect: 'manual' });
    await opened.arrayBuffer();
    const player = opened.headers.get('location');
    if (player === null) throw new DemoFailure('The launch link does not work', [`status ${opened.status}`]);
    const { page, units } = await this.#post<{ page: number; units: { id: string }[] }>(player, 'open', {});
    const unit = units[0]?.id ?? '';
    const { script } = await this.#post<{ script: string | null }>(player, 'unit', { unit });
    const reports = REPORTS[script ?? ''];
    if (reports === undefined) throw new DemoFailure(`The demo cannot learn a unit with ${script}`, []);
    this.#open = { player, place: { unit, page, visit: 1 }, reports };
    await this.#commit(this.#open, 1, false);
  }

  async pass(): Promise<void> {
    if (this.#open === null) throw new DemoFailure('The course was not begun', []);
    await this.#commit(this.#open, 2, true);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #commit({ player, place, reports }: OpenUnit, sequence: number, isLast: boolean): Promise<void> {
    const cmi = isLast ? reports.passed : reports.begun;
    await this.#post(player, 'commit', { ...place, sequence, elapsedMs: 0, terminated: isLast, cmi });
  }

  async #post<T>(player: string, path: string, body: object): Promise<T> {
    const url = new URL(`../${path}`, player).href;
    const answer = await this.#ask(url, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new DemoFailure(`The player answered ${path} with ${answer.status}`, [text]);
    return JSON.parse(text) as T;
  }

  async #ask(url: string, request: RequestInit): Promise<Response> {
    const what = `an answer of the player to ${request.method ?? 'GET'}`;
    return await within({ what, deadlineMs: PATIENCE_MS, signal: this.#signal }, (limit) =>
      fetch(url, { ...request, signal: limit }),
    );
  }
}
