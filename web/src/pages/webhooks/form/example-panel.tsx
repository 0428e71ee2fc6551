import { Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { Subtopic } from '../../../../../src/events/catalogue.ts';
import type { TestResult } from '../../../api/webhook-records.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { TestResponse } from '../test-result.tsx';
import { DRAFT_FIELDS } from './draft-checks.ts';

const texts = webhookEditing.example;
const JSON_INDENT = 2;

/** The message of an event as the target would receive it, and a test that sends it there now. */
export function ExamplePanel({
  subtopic,
  message,
  readOnly,
  signs,
  testing,
  result,
  problem,
  onTest,
}: {
  /** Null before a topic is chosen. */
  subtopic: Subtopic | null;
  message: unknown;
  /** Nothing is sent while the webhooks service is disabled. */
  readOnly: boolean;
  /** Whether deliveries of the saved webhook are signed. */
  signs: boolean;
  testing: boolean;
  result: TestResult | undefined;
  /** The error of the last test. */
  problem: unknown;
  onTest: () => void;
}) {
  if (subtopic === null) return <Panel title={texts.title}>{texts.none}</Panel>;
  const label = texts.titleOf(webhooks.subtopics[subtopic].name);
  return (
    <Panel title={label} description={texts.description}>
      <Stack gap="md">
        <CodeBlock label={label}>{JSON.stringify(message, null, JSON_INDENT)}</CodeBlock>
        <div>
          <BusyButton
            variant="default"
            leftSection={<IconSend size={16} stroke={1.6} aria-hidden />}
            isBusy={testing}
            disabled={readOnly}
            onClick={onTest}
          >
            {result === undefined ? texts.test : texts.testAgain}
          </BusyButton>
        </div>
        {readOnly && <div>{texts.readOnly}</div>}
        <FormProblem error={problem} fields={DRAFT_FIELDS} />
        {result !== undefined && <TestResponse result={result} signs={signs} />}
      </Stack>
    </Panel>
  );
}
