import { Checkbox, Radio } from '@mantine/core';
import {
  isExcludedByFocus,
  isSubtopic,
  type Subtopic,
  subtopicsOf,
  type Topic,
} from '../../../../../src/events/catalogue.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { type Draft, focusTypesOf } from './draft.ts';
import type { FieldErrors } from './draft-checks.ts';
import styles from './form.module.css';
import { Choice } from './target-step.tsx';

const texts = webhookEditing.events;
const REASONS: Readonly<Partial<Record<Subtopic, string>>> = texts.excluded;

/** Selects events of the topic. Events that the focus excludes are shown with the reason, and cannot be selected. */
export function EventsStep({
  draft,
  topic,
  errors,
  onChange,
}: {
  draft: Draft;
  topic: Topic;
  errors: FieldErrors;
  onChange: (change: Partial<Draft>) => void;
}) {
  const focusTypes = focusTypesOf(draft);
  const isExcluded = (subtopic: Subtopic) => isExcludedByFocus(subtopic, focusTypes);
  const excludedChosen = draft.subtopics.filter(isExcluded);
  return (
    <div className={styles.fields}>
      <Radio.Group
        aria-label={webhookEditing.steps.events.title}
        value={draft.allSubtopics ? 'all' : 'some'}
        onChange={(value) => onChange({ allSubtopics: value === 'all' })}
      >
        <div className={`${styles.choices} ${styles.columns}`}>
          <Choice value="all" label={texts.all} description={texts.allDescription} />
          <Choice value="some" label={texts.some} description={texts.someDescription} />
        </div>
      </Radio.Group>
      <Checkbox.Group
        aria-label={webhookEditing.fields.events}
        value={
          draft.allSubtopics
            ? subtopicsOf(topic).filter((each) => !isExcluded(each))
            : draft.subtopics.filter((each) => !isExcluded(each))
        }
        onChange={(chosen) => onChange({ subtopics: [...chosen.filter(isSubtopic), ...excludedChosen] })}
        error={errors.subtopics}
        data-field="subtopics"
      >
        <div className={styles.choices}>
          {subtopicsOf(topic).map((subtopic) => (
            <Checkbox
              key={subtopic}
              value={subtopic}
              label={webhooks.subtopics[subtopic].name}
              description={
                isExcluded(subtopic) ? REASONS[subtopic] : webhooks.subtopics[subtopic].description
              }
              disabled={draft.allSubtopics || isExcluded(subtopic)}
              classNames={{
                root: styles.choice ?? '',
                label: styles.choiceLabel ?? '',
                labelWrapper: styles.choiceLabelWrapper ?? '',
                description: styles.choiceDescription ?? '',
              }}
            />
          ))}
        </div>
      </Checkbox.Group>
    </div>
  );
}
