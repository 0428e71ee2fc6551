import { SUBTOPICS } from '../src/events/catalogue.ts';
import { postbackFailureReason } from '../src/webhooks/history/postback-failure.ts';
import { type Arrival, essenceOf } from './postback.ts';
import { type Style, styleOf, table } from './style.ts';
import { TAKEN, type Target } from './targets.ts';
import type { DeadLetter, Standing } from './webhooks.ts';

/** Headers that say something about a postback, in the order in which they are shown. */
const SHOWN_HEADERS = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'authorization'];
const SUBTOPIC_WIDTH = Math.max(...SUBTOPICS.map((subtopic) => subtopic.length));
const MIN_CUT_WIDTH = 24;
const TIME_WIDTH = 'hh:mm:ss.mmm'.length;

/** Writes everything that the demo shows, line by line. */
export class Screen {
  readonly style: Style;
  readonly #write: (text: string) => void;
  readonly #width: number;
  #nameWidth = 0;
  #hasShownMessage = false;
  #isAfterGap = false;

  /** `width` is how many characters a line has; lines of postbacks are cut there. */
  constructor(write: (text: string) => void, { colour, width }: { colour: boolean; width: number }) {
    this.#write = write;
    this.#width = width;
    this.style = styleOf(colour);
  }

  line(text: string): void {
    this.#write(`${text}\n`);
    this.#isAfterGap = false;
  }

  /** An empty line, once. */
  gap(): void {
    if (!this.#isAfterGap) this.#write('\n');
    this.#isAfterGap = true;
  }

  /** The start of something new. */
  title(text: string): void {
    this.gap();
    this.line(this.style.title(text));
  }

  /** Names with their values, one a line. */
  facts(facts: Readonly<Record<string, string>>): void {
    const lines = table(Object.entries(facts));
    for (const line of lines) this.line(`  ${line}`);
  }

  /** The targets, with what each demonstrates. */
  targets(targets: readonly { target: Target; url: string }[]): void {
    this.#nameWidth = Math.max(...targets.map(({ target }) => target.name.length));
    const rows = targets.map(({ target, url }) => [target.name, url, wantedBy(target), target.about]);
    for (const line of table(rows)) this.line(`  ${line}`);
  }

  /** Explains the columns of the lines for postbacks. */
  legend(): void {
    const legend = [
      'WHEN'.padEnd(TIME_WIDTH),
      this.#name('TARGET'),
      subtopicCell('EVENT'),
      'TRY',
      'STATUS',
      'WHAT',
    ];
    this.gap();
    this.line(`  ${this.style.quiet(`← ${legend.join('  ')}`)}`);
  }

  /** A call to the API. */
  call(method: string, path: string, body: string): void {
    this.line(
      `  → ${this.style.name(`${method} ${path}`)}${body === '' ? '' : `  ${this.style.quiet(body)}`}`,
    );
  }

  /** A postback that has arrived; the first one is shown whole. */
  postback(arrival: Arrival): void {
    const { attempt, at, message, status, subtopic, target } = arrival;
    const cells = [
      clock(at),
      this.#name(target.name),
      subtopicCell(subtopic ?? '(not read)'),
      String(attempt).padStart('TRY'.length),
      String(status).padEnd('ANSWER'.length),
    ];
    const start = `  ← ${cells.join('  ')}  `;
    const what = cut(
      message === null ? 'rejected before it was read' : essenceOf(message),
      this.#width - start.length,
    );
    const dress = status === TAKEN ? this.style.good : this.style.warn;
    this.line(`${dress(start)}${this.style.quiet(what)}`);
    if (message === null || this.#hasShownMessage) return;
    this.#hasShownMessage = true;
    this.#whole(arrival);
  }

  /** A message that has gone to the dead-letter queue. */
  deadLetter(target: Target, { attempts, error, subtopic, updated_dt }: DeadLetter): void {
    const place = [clock(Date.parse(updated_dt)), this.#name(target.name), subtopicCell(subtopic)].join('  ');
    const reason = error == null ? 'no reason given' : postbackFailureReason(error);
    this.line(this.style.bad(`  ✗ ${place}  dead-letter queue after ${attempts} attempts: ${reason}`));
  }

  /** The statistics of every webhook. */
  standings(standings: readonly Standing[]): void {
    const rows = standings.map((standing) => [
      standing.webhook.target.name,
      String(standing.success_count),
      String(standing.error_count),
      standing.in_error ? 'yes' : 'no',
      String(standing.deadLetters.length),
      standing.last_error_message ?? '–',
    ]);
    const head = ['WEBHOOK', 'SUCCESSES', 'ERRORS', 'IN ERROR', 'DEAD LETTERS', 'LAST ERROR'];
    const [headLine = '', ...lines] = table([head, ...rows]);
    this.line(`  ${this.style.quiet(headLine)}`);
    for (const line of lines) this.line(`  ${line}`);
  }

  /** Reports that everything arrived, and how fast the messages were that were accepted immediately. */
  success(arrivals: readonly Arrival[], standings: readonly Standing[]): void {
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const taken = sum(standings.map(({ success_count }) => success_count));
    const dead = sum(standings.map(({ deadLetters }) => deadLetters.length));
    const delays = arrivals
      .filter(({ target, message }) => target.refusesFirst === 0 && message !== null)
      .map(({ at, message }) => at - Date.parse(message!.timestamp))
      .sort((one, other) => one - other);
    const median = delays[Math.floor(delays.length / 2)];
    this.gap();
    this.line(
      this.style.good(
        `✓ All as it should be: ${arrivals.length} requests arrived in order, ${taken} messages were delivered, and ${dead} dead-lettered.`,
      ),
    );
    this.line(`  From the event to the target: ${median} ms at the median, ${delays.at(-1)} ms at most.`);
  }

  /** A failure, with details that help to understand it. */
  failure(message: string, details: readonly string[]): void {
    this.gap();
    this.line(this.style.bad(`✗ ${message}`));
    for (const detail of details) this.line(`  ${detail}`);
  }

  #whole({ headers, message, target }: Arrival): void {
    const shownHeaders = SHOWN_HEADERS.flatMap((name) => {
      const value = name === 'authorization' ? this.#shownCredentials(target) : headers[name];
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    const lines = ['POST / HTTP/1.1', ...shownHeaders, '', ...JSON.stringify(message, null, 2).split('\n')];
    this.gap();
    this.line(this.style.quiet('    The first one in full:'));
    this.gap();
    for (const line of lines) this.line(`    ${this.#member(line)}`.trimEnd());
    this.gap();
  }

  #shownCredentials({ credentials }: Target): string | undefined {
    return credentials === null ? undefined : `Basic … (${credentials.key} and its secret)`;
  }

  /** A line of JSON or a header, its name set off. */
  #member(line: string): string {
    return line.replace(/^(\s*)("[^"]+"|[a-z-]+)(: )/, (_all, indent: string, name: string, colon: string) =>
      [indent, this.style.name(name), colon].join(''),
    );
  }

  #name(name: string): string {
    return name.padEnd(this.#nameWidth);
  }
}

/** The events that the webhook of a target matches. */
function wantedBy({ focus, subtopics, topic }: Target): string {
  return `${subtopics?.join(', ') ?? `${topic}, all`}${focus === null ? '' : `, of ${focus.name}`}`;
}

function subtopicCell(text: string): string {
  return text.padEnd(SUBTOPIC_WIDTH);
}

/** The text, or a beginning of it that fits. */
function cut(text: string, width: number): string {
  const kept = Math.max(width, MIN_CUT_WIDTH);
  return text.length <= kept ? text : `${text.slice(0, kept - 1)}…`;
}

/** The time of day, here, to the millisecond. */
function clock(epochMs: number): string {
  const date = new Date(epochMs);
  const part = (value: number, digits: number) => String(value).padStart(digits, '0');
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${part(hours, 2)}:${part(minutes, 2)}:${part(seconds, 2)}.${part(date.getMilliseconds(), 3)}`;
}
