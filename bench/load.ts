import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../src/time/units.ts';

/** The start of a turn is not measured: in it, the other side becomes idle. */
const SETTLE_MS = 25;

/**
 * Sends requests over `connections` connections, each after the previous response, and returns the rate per second.
 * Lasts longer than `seconds` if a connection has had no response by then.
 */
export async function closedLoop(
  request: (n: number) => Promise<unknown>,
  { connections, warmUpSeconds, seconds }: { connections: number; warmUpSeconds: number; seconds: number },
): Promise<number> {
  const beginsAt = performance.now() + warmUpSeconds * SECOND_MS;
  const endsAt = beginsAt + seconds * SECOND_MS;
  let asked = 0;
  let answered = 0;
  let perSecond: number | null = null;
  const oneAfterAnother = async () => {
    while (perSecond === null) {
      await request(asked++);
      const now = performance.now();
      if (now >= beginsAt) answered += 1;
      if (now >= endsAt && answered >= connections) perSecond ??= (answered * SECOND_MS) / (now - beginsAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, oneAfterAnother));
  return perSecond!;
}

/** The requests of one turn. */
export interface LoadTurn {
  requests: number;
  /** The answers after the start of the turn, which is not measured, and how long it took until the last one. */
  answered: number;
  ms: number;
}

/**
 * Sends requests over `connections` connections for `seconds`, each after the previous response. Resolves after the last
 * response, so that nothing of it is left for the turn of another side.
 */
export async function loadTurn(
  request: () => Promise<unknown>,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadTurn> {
  const beganAt = performance.now();
  const countsFrom = beganAt + Math.min(SETTLE_MS, (seconds * SECOND_MS) / 2);
  const endsAt = beganAt + seconds * SECOND_MS;
  let requests = 0;
  let answered = 0;
  const oneAfterAnother = async () => {
    do {
      requests += 1;
      await request();
      if (performance.now() >= countsFrom) answered += 1;
    } while (performance.now() < endsAt);
  };
  await Promise.all(Array.from({ length: connections }, oneAfterAnother));
  return { requests, answered, ms: performance.now() - countsFrom };
}

/**
 * Sends requests at a fixed rate, regardless of how long the responses take, as independent clients do. Resolves after
 * the last response.
 */
export async function openLoop(
  request: (n: number) => Promise<unknown>,
  { perSecond, count }: { perSecond: number; count: number },
): Promise<void> {
  const beganAt = performance.now();
  const answers: Promise<unknown>[] = [];
  let failed: unknown = null;
  while (answers.length < count && failed === null) {
    const due = Math.min(count, 1 + Math.floor(((performance.now() - beganAt) * perSecond) / SECOND_MS));
    while (answers.length < due) {
      answers.push(
        request(answers.length).catch((error: unknown) => {
          failed ??= error;
        }),
      );
    }
    const nextAt = beganAt + (answers.length * SECOND_MS) / perSecond;
    await delay(Math.max(0, nextAt - performance.now()));
  }
  await Promise.all(answers);
  if (failed !== null) throw failed;
}
