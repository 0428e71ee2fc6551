import type { Reader } from '../../database/database.ts';

/** How many lines there are of which a release before let messages go that may still be on Amazon SQS alone. */
export async function countEarlierLines(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ lines: number }>(
    'select count(*) as lines from sqs_earlier_lines where is_awaited = 1',
  );
  return Number(row?.lines ?? 0);
}
