import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SQSClient } from '@aws-sdk/client-sqs';
import { NO_REGION, toSqsError } from './sqs-error.ts';

it('says how to set the region if none is set, instead of the text of the library', async () => {
  const failure = await regionOf('').catch((error: unknown) => error);
  assert.ok(failure instanceof Error, 'the library accepts that there is no region');
  assert.equal(
    toSqsError(failure, 'read the attributes of a.fifo').message,
    `Amazon SQS could not read the attributes of a.fifo (${NO_REGION})`,
  );
});

async function regionOf(region: string): Promise<string> {
  return await new SQSClient({ region }).config.region();
}
