import { Button, Checkbox, FileButton, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { MIB } from '../../../../../src/bytes.ts';
import { Callout } from '../../../components/callout.tsx';
import type { ChosenAsset } from '../../../components/content-dialog/asset-field.tsx';
import { FormButtons } from '../../../components/form-buttons.tsx';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { AccountField, SubjectField } from '../../../components/registrations/registration-fields.tsx';
import { useFaults } from '../../../components/registrations/use-faults.ts';
import { RunButtons } from '../../../components/run-buttons.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { viewIn } from '../../../navigation/view-in.ts';
import { registrations } from '../../../texts/registrations.ts';
import { shared } from '../../../texts/shared.ts';
import { decodeText } from '../../../utilities/decode-text.ts';
import { formatBytes, formatNumber } from '../../../utilities/numbers.ts';
import { type FaultyRow, readLearnerRows } from './learner-rows.ts';
import { type Plan, processed, type Registering, resultOf, useRegistering } from './use-registering.ts';

const texts = registrations.many;
const { create } = registrations;
const MAX_LEARNERS = 10_000;
const MAX_FILE_BYTES = 5 * MIB;
const MAX_SHOWN = 10;
const WHOLE = 100;

/** Registers many learners for a course or an equivalent, from a list or a CSV file. */
export function RegisterManyDialog({
  accountId,
  courseId,
  opened,
  onClose,
}: {
  /** The preselected account. */
  accountId?: number | undefined;
  courseId?: number | undefined;
  opened: boolean;
  onClose: () => void;
}) {
  const [running, setRunning] = useState(false);
  return (
    <FormDialog
      opened={opened}
      title={texts.title}
      question={texts.discard}
      isHeld={running}
      onClose={onClose}
    >
      {(onChanged) => (
        <RegisterMany
          accountId={accountId}
          courseId={courseId}
          onChanged={onChanged}
          onRunning={setRunning}
          onClose={onClose}
        />
      )}
    </FormDialog>
  );
}

interface Given {
  accountId: number | undefined;
  courseId: number | undefined;
  /** Called with whether there is a list that closing would lose. */
  onChanged: (changed: boolean) => void;
  onClose: () => void;
}

function RegisterMany({ onRunning, ...given }: Given & { onRunning: (running: boolean) => void }) {
  const { run, start, stop, resume } = useRegistering();
  const isRunning = run?.phase === 'running';
  useLayoutEffect(() => {
    onRunning(isRunning);
    return () => onRunning(false);
  }, [isRunning, onRunning]);
  if (run === null) return <ManyForm {...given} onStart={start} />;
  return (
    <Run state={run} onStop={stop} onResume={resume} onChanged={given.onChanged} onClose={given.onClose} />
  );
}

const FIELDS = ['account', 'course', 'learners'] as const;

function ManyForm({
  accountId,
  courseId,
  onStart,
  onChanged,
  onClose,
}: Given & { onStart: (plan: Plan) => void }) {
  const [account, setAccount] = useState<ChosenAsset[]>(
    accountId === undefined ? [] : [{ type: 'ACCOUNT', id: accountId, name: null }],
  );
  const [course, setCourse] = useState<ChosenAsset[]>(
    courseId === undefined ? [] : [{ type: 'COURSE', id: courseId, name: null }],
  );
  const [text, setText] = useState('');
  const [skipRegistered, setSkipRegistered] = useState(true);
  const { faults, show, add, correct, place } = useFaults(FIELDS);
  const { learners, faulty } = useMemo(() => readLearnerRows(text), [text]);
  const resetFile = useRef<() => void>(null);
  const setLearners = (value: string) => {
    setText(value);
    correct('learners');
  };
  const readFile = async (file: File | null) => {
    if (file === null) return;
    // So that the same file can be chosen again.
    resetFile.current?.();
    const refuse = (fault: string) => add('learners', fault);
    if (file.size > MAX_FILE_BYTES) return refuse(texts.fileTooLarge(formatBytes(MAX_FILE_BYTES)));
    // Fails if the file was changed, moved or locked after it was chosen.
    const bytes = await file.arrayBuffer().catch(() => null);
    if (bytes === null) return refuse(texts.fileUnreadable);
    const content = decodeText(bytes);
    if (content === null) refuse(texts.fileEncoding);
    else setLearners(content);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [accountChosen, subject] = [account[0], course[0]];
    const found = {
      ...(accountChosen === undefined ? { account: create.checks.account } : {}),
      ...(subject === undefined ? { course: create.checks.course } : {}),
      ...(learners.length === 0 ? { learners: texts.nobody } : {}),
      ...(learners.length > MAX_LEARNERS ? { learners: texts.tooMany(formatNumber(MAX_LEARNERS)) } : {}),
    };
    show(found);
    if (accountChosen === undefined || subject === undefined || Object.keys(found).length > 0) return;
    const type = subject.type === 'EQUIVALENT' ? 'EQUIVALENT' : 'COURSE';
    onStart({ accountId: accountChosen.id, subject: { type, id: subject.id }, learners, skipRegistered });
  };
  return (
    <form noValidate onSubmit={submit}>
      <KeptList when={text.trim() !== ''} onChanged={onChanged} />
      <Stack gap="md">
        <div ref={place('account')}>
          <AccountField
            value={account}
            error={faults.account}
            onChange={(value) => {
              setAccount(value);
              setCourse([]);
              correct('account');
            }}
          />
        </div>
        <div ref={place('course')}>
          <SubjectField
            accountId={account[0]?.id ?? null}
            value={course}
            error={faults.course}
            onChange={(value) => {
              setCourse(value);
              correct('course');
            }}
          />
        </div>
        <div ref={place('learners')}>
          <Textarea
            label={texts.learners}
            description={texts.learnersDescription}
            autosize
            minRows={5}
            maxRows={12}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setLearners(currentTarget.value)}
            error={faults.learners}
          />
        </div>
        <Group justify="space-between">
          <FileButton
            resetRef={resetFile}
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(file) => void readFile(file)}
          >
            {(props) => (
              <Button {...props} variant="default" size="xs">
                {texts.file}
              </Button>
            )}
          </FileButton>
          <Text size="sm" role="status">
            {text !== '' && texts.found(learners.length)}
          </Text>
        </Group>
        <FaultyRows title={texts.unusable(faulty.length)} tone="warn" rows={faulty} />
        <Checkbox
          label={texts.skip}
          description={texts.skipDescription}
          checked={skipRegistered}
          onChange={({ currentTarget }) => setSkipRegistered(currentTarget.checked)}
        />
        <Text size="sm" c="dimmed">
          {create.event}
        </Text>
        <FormButtons submit={texts.submit(learners.length)} pending={false} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Run({
  state,
  onStop,
  onResume,
  onChanged,
  onClose,
}: {
  state: Registering;
  onStop: () => void;
  onResume: () => void;
  onChanged: (changed: boolean) => void;
  onClose: () => void;
}) {
  const { phase, plan, refused, error } = state;
  const total = plan.learners.length;
  const left = total - processed(state);
  return (
    <Stack gap="md">
      <KeptList when={left > 0} onChanged={onChanged} />
      <Progress
        value={(processed(state) / total) * WHOLE}
        animated={phase === 'running'}
        aria-label={texts.progress}
      />
      <div role="status">{resultOf(state)}</div>
      <FaultyRows title={texts.refused} tone="bad" rows={refused} />
      <FormProblem error={error} />
      <RunButtons
        isRunning={phase === 'running'}
        next={
          phase === 'stopped' || phase === 'failed' ? { label: shared.continue, onClick: onResume } : null
        }
        onStop={onStop}
        onClose={onClose}
      />
    </Stack>
  );
}

/** Asks before the list of learners is lost. */
function KeptList({ when, onChanged }: { when: boolean; onChanged: (changed: boolean) => void }) {
  useLayoutEffect(() => {
    onChanged(when);
    return () => onChanged(false);
  }, [when, onChanged]);
  return <UnsavedChanges when={when} question={texts.discard} isShownIn={viewIn} staysAfter />;
}

function FaultyRows({
  title,
  tone,
  rows,
}: {
  title: string;
  tone: 'warn' | 'bad';
  rows: readonly FaultyRow[];
}) {
  if (rows.length === 0) return null;
  return (
    <Callout tone={tone} title={title}>
      {rows.slice(0, MAX_SHOWN).map(({ row, id, fault }) => (
        <div key={row}>{texts.row(row, id, fault)}</div>
      ))}
      {rows.length > MAX_SHOWN && <div>{texts.moreFaults(formatNumber(rows.length - MAX_SHOWN))}</div>}
    </Callout>
  );
}
