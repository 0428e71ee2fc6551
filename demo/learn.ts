import { DemoFailure } from './failure.ts';
import { PATIENCE_MS, within } from './waiting.ts';

const SCORE = 85;

/** What a unit says when its learner has passed, by the script that the player gives it. */
const PASSED: Readonly<Record<string, object>> = {
  scorm12: {
    core: {
      lesson_status: 'passed',
      score: { raw: SCORE, min: 0, max: 100 },
      session_time: '00:02:10',
      exit: '',
    },
  },
  scorm2004: {
    completion_status: 'completed',
    success_status: 'passed',
    score: { scaled: SCORE / 100 },
    session_time: 'PT2M10S',
    exit: 'normal',
  },
};

/**
 * Opens a launch link and passes its course, as the player's page does it for a learner who answers well.
 * @throws {DemoFailure}
 */
export async function learn(launchUrl: string, signal: AbortSignal): Promise<void> {
  const opened = await ask(launchUrl, { redirect: 'manual' }, signal);
  await opened.arrayBuffer();
  const player = opened.headers.get('location');
  if (player === null) throw new DemoFailure('The launch link does not work', [`status ${opened.status}`]);
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await ask(
      new URL(`../${path}`, player).href,
      { method: 'POST', body: JSON.stringify(body) },
      signal,
    );
    const text = await answer.text();
    if (!answer.ok) throw new DemoFailure(`The player answered ${path} with ${answer.status}`, [text]);
    return JSON.parse(text) as T;
  };
  const { page, units } = await post<{ page: number; units: { id: string }[] }>('open', {});
  for (const [index, { id: unit }] of units.entries()) {
    const { script } = await post<{ script: string | null }>('unit', { unit });
    const cmi = PASSED[script ?? ''];
    if (cmi === undefined) throw new DemoFailure(`The demo cannot pass a unit with ${script}`, []);
    const place = { unit, page, visit: index + 1, sequence: index + 1 };
    await post('commit', { ...place, elapsedMs: 0, terminated: true, cmi });
  }
}

async function ask(url: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
  const what = `an answer of the player to ${request.method ?? 'GET'}`;
  return await within({ what, deadlineMs: PATIENCE_MS, signal }, (limit) =>
    fetch(url, { ...request, signal: limit }),
  );
}
