import { Button, Checkbox, Input, Radio } from '@mantine/core';
import {
  isExcludedByFocus,
  isTopic,
  type Subtopic,
  subtopicsOf,
  TOPICS,
} from '../../../../../src/events/catalogue.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { Choice } from './choice.tsx';
import {
  type Draft,
  effectiveSubtopics,
  focusTypesOf,
  withAllSubtopics,
  withSubtopic,
  withTopic,
} from './draft.ts';
import type { FieldErrors } from './draft-checks.ts';
import styles from './form.module.css';

const texts = webhookEditing.events;
const REASONS: Readonly<Partial<Record<Subtopic, string>>> = texts.excluded;

/** Selects the topic and its events. Events that the focus excludes are shown with the reason, and cannot be selected. */
export function EventFields({
  draft,
  errors,
  shown,
  onChange,
  onShow,
}: {
  draft: Draft;
  errors: FieldErrors;
  /** The event whose message is shown beside the form. */
  shown: Subtopic | null;
  onChange: (draft: Draft) => void;
  onShow: (subtopic: Subtopic) => void;
}) {
  const { topic } = draft;
  const selected = effectiveSubtopics(draft);
  const focusTypes = focusTypesOf(draft);
  return (
    <div className={styles.fields}>
      <Radio.Group
        label={webhookEditing.fields.topic}
        value={topic ?? ''}
        onChange={(value) => {
          if (isTopic(value)) onChange(withTopic(draft, value));
        }}
        error={errors.topic}
        inputWrapperOrder={['label', 'error', 'input']}
        data-field="topic"
      >
        <div className={`${styles.choices} ${styles.columns}`}>
          {TOPICS.map((each) => (
            <Choice
              key={each}
              value={each}
              label={webhooks.topics[each].name}
              description={webhooks.topics[each].description}
            />
          ))}
        </div>
      </Radio.Group>
      {topic !== null && (
        <fieldset className={styles.group} data-field="subtopics">
          <Input.Label component="legend">{webhookEditing.fields.events}</Input.Label>
          {errors.subtopics !== undefined && <Input.Error mb="xs">{errors.subtopics}</Input.Error>}
          <div className={styles.events}>
            <Checkbox
              label={texts.all}
              description={texts.allDescription}
              checked={draft.allSubtopics}
              onChange={(event) => onChange(withAllSubtopics(draft, event.currentTarget.checked))}
            />
            {subtopicsOf(topic).map((subtopic) => {
              const isExcluded = isExcludedByFocus(subtopic, focusTypes);
              const { name, description } = webhooks.subtopics[subtopic];
              return (
                <div key={subtopic} className={styles.event}>
                  <Checkbox
                    label={name}
                    description={isExcluded ? REASONS[subtopic] : description}
                    checked={selected.includes(subtopic)}
                    disabled={isExcluded}
                    error={errors.subtopics !== undefined && !isExcluded}
                    onChange={(event) => {
                      onChange(withSubtopic(draft, subtopic, event.currentTarget.checked));
                      onShow(subtopic);
                    }}
                  />
                  <Button
                    variant={shown === subtopic ? 'light' : 'subtle'}
                    size="compact-sm"
                    aria-pressed={shown === subtopic}
                    aria-label={texts.exampleOf(name)}
                    onClick={() => onShow(subtopic)}
                  >
                    {texts.example}
                  </Button>
                </div>
              );
            })}
          </div>
        </fieldset>
      )}
    </div>
  );
}
