import { Stack, Title } from '@mantine/core';
import type { TestResult } from '../../api/webhook-records.ts';
import { Callout } from '../../components/callout.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Facts } from '../../components/facts.tsx';
import { webhookDetails } from '../../texts/webhook-details.ts';
import { formatDuration } from '../../utilities/times.ts';

const texts = webhookDetails.testDialog;

/**
 * The response of the target to a test message, or why there is none.
 * @param signs whether deliveries of the webhook are signed
 */
export function TestResponse({ result, signs }: { result: TestResult; signs: boolean }) {
  return (
    <Stack gap="md">
      <Callout
        tone={result.delivered ? 'good' : 'bad'}
        title={result.delivered ? texts.delivered : texts.failed}
        live
      >
        {result.error !== null && <bdi>{result.error}</bdi>}
      </Callout>
      {signs && !result.signed && <div>{texts.unsigned}</div>}
      <Facts
        items={[
          [texts.status, result.response_status ?? texts.noStatus],
          [texts.took, formatDuration(result.duration_ms)],
        ]}
      />
      {result.response_status !== null && (
        <div>
          <Title order={3} mb="xs">
            {texts.response}
          </Title>
          {result.response_body === null || result.response_body === '' ? (
            texts.emptyResponse
          ) : (
            <CodeBlock label={texts.response} wrap>
              {result.response_body}
            </CodeBlock>
          )}
        </div>
      )}
    </Stack>
  );
}
