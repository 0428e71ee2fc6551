import { CONTENT_TYPES, type FocusType, type Topic } from '../../../../../src/events/catalogue.ts';
import { AssetPicker } from '../../../components/asset-picker.tsx';
import { Callout } from '../../../components/callout.tsx';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { type Draft, type DraftFocus, effectiveSubtopics, excludedSubtopics } from './draft.ts';
import type { FieldErrors } from './draft-checks.ts';
import styles from './form.module.css';

const texts = webhookEditing.focus;

interface Choice {
  label: string;
  description: string;
  types: readonly FocusType[];
}

const ACCOUNTS: Choice = {
  label: texts.accounts,
  description: texts.accountsDescription,
  types: ['ACCOUNT'],
};
const CONTENT: Choice = { label: texts.content, description: texts.contentDescription, types: CONTENT_TYPES };
const COURSES: Choice = { label: texts.courses, description: texts.coursesDescription, types: ['COURSE'] };

const CHOICES: Readonly<Record<Topic, readonly Choice[]>> = {
  ACCOUNT: [ACCOUNTS],
  ACCOUNT_CONTENT: [ACCOUNTS, CONTENT],
  COURSE: [COURSES],
  REGISTRATION: [ACCOUNTS, CONTENT],
};

/** Selects the focused assets by name, and says how they affect the selected events. */
export function FocusFields({
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
  const excluded = excludedSubtopics(draft)
    .map((each) => webhooks.subtopics[each].name)
    .join(', ');
  const nothingLeft = effectiveSubtopics(draft).length === 0;
  const choose = (types: readonly FocusType[], chosen: readonly DraftFocus[]) =>
    onChange({ focus: [...draft.focus.filter(({ type }) => !types.includes(type)), ...chosen] });
  return (
    <div className={styles.fields} data-field="focus">
      {CHOICES[topic].map(({ label, description, types }) => (
        <AssetPicker
          key={label}
          label={label}
          description={description}
          types={types}
          value={draft.focus.filter(({ type }) => types.includes(type))}
          onChange={(chosen) => choose(types, chosen)}
        />
      ))}
      {CHOICES[topic].length > 1 && <div>{texts.both}</div>}
      {excluded !== '' && (
        <Callout tone={nothingLeft ? 'bad' : 'warn'} live>
          {nothingLeft ? texts.ruleOut(excluded) : texts.leavesOut(excluded)}
        </Callout>
      )}
      {errors.focus !== undefined && (
        <Callout tone="bad" live>
          {errors.focus}
        </Callout>
      )}
    </div>
  );
}
