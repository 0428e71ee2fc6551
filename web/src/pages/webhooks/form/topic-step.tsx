import { Radio } from '@mantine/core';
import { isTopic, TOPICS, type Topic } from '../../../../../src/events/catalogue.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import type { Draft } from './draft.ts';
import type { FieldErrors } from './draft-checks.ts';
import styles from './form.module.css';
import { Choice } from './target-step.tsx';

/** Selects the topic. */
export function TopicStep({
  draft,
  errors,
  onTopic,
}: {
  draft: Draft;
  errors: FieldErrors;
  onTopic: (topic: Topic) => void;
}) {
  return (
    <Radio.Group
      aria-label={webhookEditing.steps.topic.title}
      value={draft.topic ?? ''}
      onChange={(value) => {
        if (isTopic(value)) onTopic(value);
      }}
      error={errors.topic}
      mt="md"
      data-field="topic"
    >
      <div className={styles.choices}>
        {TOPICS.map((topic) => (
          <Choice
            key={topic}
            value={topic}
            label={webhooks.topics[topic].name}
            description={webhooks.topics[topic].description}
          />
        ))}
      </div>
    </Radio.Group>
  );
}
