import type { RunComparison } from './comparison.ts';
import type { ApiResult, EventsResult, Goal, Results } from './results.ts';

const UNKNOWN = '–';

/** Formats the results as tables for a person. */
export function renderReport(results: Results): string {
  const { machine, load_before, database, queue, plan, date, seconds } = results;
  const engine = ({ name, about }: { name: string; about: string | null }) =>
    about === null ? name : `${name} (${about})`;
  return [
    `Coursewire bench (${plan.name}), ${date}, ${Math.round(seconds)} s`,
    `Node ${machine.node}, ${machine.platform}, ${machine.cpu}, ${machine.cores} cores, load ${load_before.toFixed(1)} before`,
    `Database: ${engine(database)}; queue: ${engine(queue)}`,
    '',
    ...deliveriesTable(results),
    ...sqsTable(results),
    ...eventsTable(results),
    ...playerTable(results),
    ...fastifyTable(results),
    ...firstLoadTable(results),
    ...othersTable(results),
    ...goalsTable(results.goals),
  ].join('\n');
}

/** Formats a comparison of two runs as a table for a person. */
export function renderComparison({ ratios, missing, differences }: RunComparison): string {
  const rows = ratios.map(({ name, earlier, later, spread, hasFallen }) => [
    name,
    fraction(earlier),
    fraction(later),
    fraction(spread),
    hasFallen ? 'fell' : '',
  ]);
  return [
    ...differences.map(
      (what) => `The ${what} of the two runs differs, so the ratios may differ for that reason.`,
    ),
    ...table([['Ratio', 'earlier', 'now', 'spread', ''], ...rows]),
    ...missing.map((name) => `not measured now: ${name}`),
  ].join('\n');
}

function deliveriesTable({ deliveries, plan }: Results): string[] {
  const rows = Object.entries(deliveries).map(([name, found]) => [
    name,
    whole(found.webhooks),
    whole(found.waiting),
    whole(found.per_second),
    whole(found.raw_per_second),
    fraction(found.share_of_raw),
    found.cpu_us_per_delivery === null ? UNKNOWN : `${whole(found.cpu_us_per_delivery)} µs`,
    found.statements_per_delivery === null ? UNKNOWN : fraction(found.statements_per_delivery),
    plan.scenarios[name as keyof typeof plan.scenarios]?.deliveries?.raw ?? '',
  ]);
  if (rows.length === 0) return [];
  const head = [
    'Deliveries',
    'webhooks',
    'waiting',
    'a second',
    'raw undici',
    'share',
    'CPU time',
    'statements',
    'raw posts',
  ];
  return [...table([head, ...rows]), ''];
}

function sqsTable({ deliveries }: Results): string[] {
  const rows = Object.entries(deliveries).flatMap(([name, { per_second, sqs }]) =>
    sqs === null
      ? []
      : [
          [
            name,
            whole(per_second),
            whole(sqs.bare_per_second),
            fraction(sqs.share_of_bare),
            sqs.requests_per_delivery === null ? UNKNOWN : fraction(sqs.requests_per_delivery),
            fraction(sqs.bare_requests_per_message),
          ],
        ],
  );
  if (rows.length === 0) return [];
  const head = ['Beside a bare client of SQS', 'a second', 'bare', 'share', 'requests each', 'bare requests'];
  return [...table([head, ...rows]), ''];
}

function eventsTable({ events, plan }: Results): string[] {
  const rates = plan.offeredPerSecond;
  const rows = Object.entries(events).map(([name, found]) => [
    name,
    whole(found.waiting),
    whole(found.published.per_second),
    ...rates.flatMap((rate) => arrivalCells(found, rate)),
  ]);
  if (rows.length === 0) return [];
  const head = [
    'Events, answer to arrival',
    'waiting',
    'published/s',
    ...rates.flatMap((rate) => [`p50 at ${whole(rate)}/s`, 'p99', 'answered/s']),
  ];
  return [...table([head, ...rows]), ''];
}

function arrivalCells(found: EventsResult, rate: number): string[] {
  const arrival = found.arrivals.find((each) => each.offered_per_second === rate);
  if (arrival === undefined) return [UNKNOWN, UNKNOWN, UNKNOWN];
  return [ms(arrival.p50_ms), ms(arrival.p99_ms), whole(arrival.answered_per_second)];
}

function playerTable({ player }: Results): string[] {
  if (player === null) return [];
  const memory = (mib: number | null) => (mib === null ? UNKNOWN : `${whole(mib)} MiB`);
  return [
    ...table([
      ['Playing', 'a second', 'static server', 'share', 'share by CPU time'],
      [
        'files of a course',
        whole(player.files_per_second),
        whole(player.static_files_per_second),
        fraction(player.share_of_static),
        player.cpu_share_of_static === null ? UNKNOWN : fraction(player.cpu_share_of_static),
      ],
    ]),
    '',
    ...table([
      [`Commits a second, ${whole(player.learners)} learners`, whole(player.commits_per_second)],
      ['CPU time of a commit', player.cpu_ms_per_commit === null ? UNKNOWN : ms(player.cpu_ms_per_commit)],
      ['p50 at 1,000/s', ms(player.p50_ms)],
      ['p99 at 1,000/s', ms(player.p99_ms)],
      [`Memory with ${whole(player.launches)} open launches`, memory(player.memory_mib)],
      ['Memory before', memory(player.memory_before_mib)],
    ]),
    '',
  ];
}

function fastifyTable({ events, tokens }: Results): string[] {
  const row = (name: string, found: ApiResult) => [
    name,
    whole(found.per_second),
    whole(found.fastify_per_second),
    fraction(found.share_of_fastify),
    found.cpu_share_of_fastify === null ? UNKNOWN : fraction(found.cpu_share_of_fastify),
  ];
  const rows = Object.entries(events).map(([name, { published }]) =>
    row(`events published, ${name}`, published),
  );
  if (tokens !== null) rows.push(row('access tokens', tokens));
  if (rows.length === 0) return [];
  const head = ['Beside a bare Fastify route', 'a second', 'bare', 'share', 'share by CPU time'];
  return [...table([head, ...rows]), ''];
}

function firstLoadTable({ first_load }: Results): string[] {
  if (first_load === null) return [];
  const rows = Object.entries(first_load.pages).map(([name, { requests, kilobytes }]) => [
    name,
    whole(requests),
    whole(kilobytes),
  ]);
  return [...table([['First load of the UI', 'requests', 'kB'], ...rows]), ''];
}

function othersTable({ start, peak_memory_mib }: Results): string[] {
  const started =
    start === null ? UNKNOWN : `${fraction(start.seconds)} s (spread ${fraction(start.spread_seconds)} s)`;
  return [
    ...table([
      ['"npm start" until it is ready', started],
      ['Peak memory of the service', peak_memory_mib === null ? UNKNOWN : `${whole(peak_memory_mib)} MiB`],
    ]),
    '',
  ];
}

function goalsTable(goals: readonly Goal[]): string[] {
  const rows = goals.map(({ name, wanted, found, reached }) => [
    name,
    wanted,
    found === null ? UNKNOWN : fraction(found),
    reached === null ? 'not measured' : reached ? 'reached' : 'missed',
  ]);
  return table([['Goal', 'wanted', 'found', ''], ...rows]);
}

/** Aligns the first column left, the others right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function fraction(value: number): string {
  return value.toFixed(3);
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
