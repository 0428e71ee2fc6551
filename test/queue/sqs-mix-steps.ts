import fc from 'fast-check';
import type { HeadAction, Settlement } from '../../src/queue/message-queue.ts';

/** The lines of a mix. */
export const MIX_LINES = [1, 2, 3];

/** The settings of an instance. */
export interface MixMode {
  driver: 'sqs' | 'database';
  polls: boolean;
  /** The index of one of two pairs of queues. */
  queues: 0 | 1;
}

/** What happens to two instances or their queues. */
export type MixStep =
  | { do: 'put'; at: 0 | 1; line: number; count: number }
  | { do: 'deliver'; at: 0 | 1; capacity: number; actions: readonly Settlement['action'][] }
  | { do: 'act'; at: 0 | 1; line: number; action: HeadAction }
  | { do: 'redeliver'; at: 0 | 1 }
  | { do: 'restart'; at: 0 | 1; mode: MixMode }
  | { do: 'purge' | 'recreate' | 'steal' | 'repeat' | 'foreign'; queues: 0 | 1 }
  | { do: 'set redrive policy'; queues: 0 | 1; maxReceives: number | null }
  | { do: 'lose answers'; count: number };

const at = fc.constantFrom(0 as const, 1 as const);
const mode = fc.record({
  driver: fc.constantFrom('sqs' as const, 'sqs' as const, 'database' as const),
  polls: fc.boolean(),
  queues: at,
});
const line = fc.constantFrom(...MIX_LINES);
/** Any step. */
export const mixStep: fc.Arbitrary<MixStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      at,
      line,
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      at,
      capacity: fc.integer({ min: 1, max: 4 }),
      actions: fc.array(
        fc.constantFrom<Settlement['action']>('delete', 'delete', 'retry', 'release', 'dead-letter'),
        { minLength: 4, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('act' as const),
      at,
      line,
      action: fc.constantFrom<HeadAction>('retry', 'dead-letter'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redeliver' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), at, mode }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'purge' as const,
        'recreate' as const,
        'steal' as const,
        'repeat' as const,
        'foreign' as const,
      ),
      queues: at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set redrive policy' as const),
      queues: at,
      maxReceives: fc.constantFrom(null, 1, 2, 1_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('lose answers' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
);
