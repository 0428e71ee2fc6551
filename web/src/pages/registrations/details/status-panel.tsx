import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useId, useRef, useState } from 'react';
import type { Completion, Registration, Success } from '../../../api/registrations.ts';
import type { Read } from '../../../api/request.ts';
import { Callout } from '../../../components/callout.tsx';
import { Facts } from '../../../components/facts.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { formatScore, formatSeconds } from '../../../components/registrations/results.ts';
import { SaveButton } from '../../../components/save-button.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { useIsAdmin } from '../../../session/session-context.ts';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';
import {
  COMPLETION_OPTIONS,
  type DraftFaults,
  faultsOf,
  type StatusDraft,
  SUCCESS_OPTIONS,
  statusInWords,
} from './status-draft.ts';
import { useStatusEdit } from './use-status-edit.ts';

const texts = registrations.status;

/** The learner's results; administrators can correct them. */
export function StatusPanel({ read }: { read: Read<Registration> }) {
  const isAdmin = useIsAdmin();
  const { completion, success, score, duration } = read.record;
  return (
    <Panel title={texts.title} description={texts.description}>
      {isAdmin ? (
        <StatusForm read={read} />
      ) : (
        <Facts
          items={[
            [texts.completion, texts.completions[completion]],
            [texts.success, texts.successes[success]],
            [texts.score, formatScore(score)],
            [texts.duration, formatSeconds(duration)],
          ]}
        />
      )}
    </Panel>
  );
}

/** Shows reported results until something is edited. From then on, it keeps the input. */
function StatusForm({ read }: { read: Read<Registration> }) {
  const edit = useStatusEdit(read);
  const [faults, setFaults] = useState<DraftFaults>({});
  const fields = useRef<Partial<Record<'score' | 'duration', HTMLInputElement | null>>>({});
  const submitButton = useRef<HTMLButtonElement>(null);
  const { draft, conflict } = edit;
  const change = (members: Partial<StatusDraft>) => {
    edit.change(members);
    setFaults((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in members))));
  };
  // The button that was pressed disappears.
  const keepFocus = () => submitButton.current?.focus();
  const withoutInput = (drop: () => void) => () => {
    drop();
    setFaults({});
    keepFocus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!edit.isChanged || edit.isSaving || conflict !== null) return;
    const found = faultsOf(draft);
    setFaults(found);
    const first = found.score !== undefined ? 'score' : found.duration !== undefined ? 'duration' : null;
    if (first !== null) fields.current[first]?.focus();
    else edit.save();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        {conflict !== null ? (
          <Callout tone="warn" title={texts.conflict.title} live>
            <p className={styles.note}>{texts.conflict.description(statusInWords(conflict.record))}</p>
            <Group gap="sm" mt="sm">
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  edit.keepInput();
                  keepFocus();
                }}
              >
                {texts.conflict.keep}
              </Button>
              <Button size="xs" variant="default" onClick={withoutInput(edit.takeResults)}>
                {texts.conflict.take}
              </Button>
            </Group>
          </Callout>
        ) : (
          <FormProblem error={edit.problem} />
        )}
        <Choice
          label={texts.completion}
          value={draft.completion}
          options={COMPLETION_OPTIONS}
          onChange={(completion) => change({ completion: completion as Completion })}
        />
        <Choice
          label={texts.success}
          value={draft.success}
          options={SUCCESS_OPTIONS}
          onChange={(success) => change({ success: success as Success })}
        />
        <div className={styles.fields}>
          <TextInput
            ref={(element) => {
              fields.current.score = element;
            }}
            label={texts.score}
            description={texts.scoreDescription}
            inputMode="decimal"
            autoComplete="off"
            value={draft.score}
            onChange={({ currentTarget }) => change({ score: currentTarget.value })}
            error={faults.score}
          />
          <TextInput
            ref={(element) => {
              fields.current.duration = element;
            }}
            label={texts.duration}
            description={texts.durationDescription}
            autoComplete="off"
            value={draft.duration}
            onChange={({ currentTarget }) => change({ duration: currentTarget.value })}
            error={faults.duration}
          />
        </div>
        <p className={styles.note}>{texts.event}</p>
        <Group gap="sm">
          <SaveButton ref={submitButton} saving={edit.isSaving} canSave={edit.isChanged && conflict === null}>
            {texts.save}
          </SaveButton>
          {edit.isChanged && (
            <Button variant="default" disabled={edit.isSaving} onClick={withoutInput(edit.discard)}>
              {texts.discard}
            </Button>
          )}
        </Group>
      </Stack>
      <UnsavedChanges when={edit.isUnsaved} />
    </form>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div>
      <div id={id} className={styles.label}>
        {label}
      </div>
      <SegmentedControl
        aria-labelledby={id}
        value={value}
        onChange={onChange}
        data={options}
        className={styles.choice ?? ''}
      />
    </div>
  );
}
