import { Group, Select, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isSubtopic, type Subtopic } from '../../../../../src/events/catalogue.ts';
import type { TestResult, WebhookRecord } from '../../../api/webhook-records.ts';
import { sendTestMessage } from '../../../api/webhooks.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { SaveButton } from '../../../components/save-button.tsx';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { TestResponse } from '../test-result.tsx';

const texts = webhookDetails.testDialog;
const JSON_INDENT = 2;

/** Sends a sample message to the target and shows the response. */
export function TestDialog({
  webhook,
  opened,
  onClose,
}: {
  webhook: WebhookRecord;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title} size="lg">
      <TestForm webhook={webhook} />
    </Dialog>
  );
}

function TestForm({ webhook }: { webhook: WebhookRecord }) {
  const [subtopic, setSubtopic] = useState<Subtopic | undefined>(webhook.subtopics[0]);
  const test = useMutation({ mutationFn: (chosen: Subtopic) => sendTestMessage(webhook.id, chosen) });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (subtopic !== undefined && !test.isPending) test.mutate(subtopic);
      }}
    >
      <Stack gap="md">
        <div>{texts.description}</div>
        <Group align="flex-end" gap="sm" wrap="nowrap">
          <Select
            label={texts.event}
            value={subtopic ?? null}
            onChange={(value) => {
              if (isSubtopic(value)) setSubtopic(value);
            }}
            data={webhook.subtopics.map((each) => ({ value: each, label: webhooks.subtopics[each].name }))}
            flex={1}
          />
          <SaveButton saving={test.isPending}>
            {test.data === undefined ? texts.send : texts.again}
          </SaveButton>
        </Group>
        <FormProblem error={test.error} />
        {test.data !== undefined && <Result result={test.data} />}
      </Stack>
    </form>
  );
}

function Result({ result }: { result: TestResult }) {
  return (
    <Stack gap="md">
      <TestResponse result={result} signs={false} />
      <div>
        <Title order={3} mb="xs">
          {texts.message}
        </Title>
        <CodeBlock label={texts.message}>{JSON.stringify(result.message, null, JSON_INDENT)}</CodeBlock>
      </div>
    </Stack>
  );
}
