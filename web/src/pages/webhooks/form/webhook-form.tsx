import { Button, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import type { WebhookConfiguration, WebhookRecord } from '../../../api/webhook-records.ts';
import { Callout } from '../../../components/callout.tsx';
import { FormProblem, fieldOf } from '../../../components/form-problem.tsx';
import { notifyNote } from '../../../components/notify.tsx';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { apiOnlyDefaults } from '../api-only-facts.tsx';
import { configurationOf, type Draft, STEPS, type Step, storedKeyOf, withTopic } from './draft.ts';
import {
  type FieldErrors,
  firstOpenStep,
  secretMovesTarget,
  secretStays,
  stepErrors,
  stepOfField,
} from './draft-checks.ts';
import { EventsStep } from './events-step.tsx';
import { FocusStep } from './focus-step.tsx';
import styles from './form.module.css';
import { ReviewStep } from './review-step.tsx';
import { StepList } from './step-list.tsx';
import { TargetStep } from './target-step.tsx';
import { TopicStep } from './topic-step.tsx';
import type { DraftState } from './use-draft.ts';

const NO_ERRORS: FieldErrors = {};

/** The steps of adding a webhook, or of editing `present`. The address names the step. */
export function WebhookForm({
  state,
  present,
  requestedStep,
  saving,
  problem,
  notice,
  onSave,
  onDiscard,
}: {
  state: DraftState;
  present: WebhookRecord | null;
  requestedStep: Step;
  saving: boolean;
  /** The error of the last attempt to save. */
  problem: unknown;
  /** Shown above the form, such as a conflict to resolve. */
  notice?: ReactNode;
  onSave: (configuration: WebhookConfiguration) => void;
  onDiscard: () => void;
}) {
  const { draft, change } = state;
  const navigate = useNavigate();
  const [secret, setSecret] = useState('');
  const [errors, setErrors] = useState<FieldErrors>(NO_ERRORS);
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<Step>(undefined);

  const storedKey = storedKeyOf(present);
  const reachable = firstOpenStep(draft, secret, storedKey);
  const step = STEPS.indexOf(requestedStep) > STEPS.indexOf(reachable) ? reachable : requestedStep;

  const open = (to: Step, replace = false) =>
    navigate({ to: '.', search: to === 'target' ? {} : { step: to }, replace, resetScroll: true });
  const openStep = (to: Step) => {
    setErrors(NO_ERRORS);
    void open(to);
  };

  // The address names the step that is shown. Otherwise the form would leave a step while it is being filled in, once
  // the step that the address asks for can be reached.
  const correctAddress = useEffectEvent((shownStep: Step) => void open(shownStep, true));
  useEffect(() => {
    if (step !== requestedStep) correctAddress(step);
  }, [step, requestedStep]);

  const showRefusal = useEffectEvent((refusal: unknown) => {
    if (!(refusal instanceof ApiError) || refusal.errors.length === 0) return;
    const refused = Object.fromEntries(
      refusal.errors.map(({ pointer, detail }) => [
        fieldOf(pointer),
        detail.charAt(0).toUpperCase() + detail.slice(1),
      ]),
    );
    const [first] = Object.keys(refused);
    if (first === undefined) return;
    setErrors(refused);
    void open(stepOfField(first));
  });
  useEffect(() => showRefusal(problem), [problem]);

  useEffect(() => {
    const hasMoved = shown.current !== undefined && shown.current !== step;
    shown.current = step;
    const [first] = Object.keys(errors);
    if (first === undefined) {
      if (hasMoved) heading.current?.focus();
      return;
    }
    const place = form.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first)}"]`);
    const control = place?.matches('input') ? place : place?.querySelector<HTMLElement>('input:enabled');
    control?.focus();
  }, [errors, step]);

  const tellWhatIsKept = useEffectEvent(() => {
    if (state.finished) return;
    const { left, leftWithSecret, secretLeft } = webhookEditing.draft;
    if (state.changed) notifyNote(secret === '' ? left : leftWithSecret);
    else if (secret !== '') notifyNote(secretLeft);
  });
  useEffect(() => () => tellWhatIsKept(), []);

  const update = (changes: Partial<Draft>) => {
    setErrors(NO_ERRORS);
    change(changes);
  };

  const goOn = () => {
    const found = stepErrors(step, draft, secret, storedKey);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const { topic } = draft;
    const next = STEPS[STEPS.indexOf(step) + 1];
    if (next !== undefined) openStep(next);
    else if (topic !== null && !saving) onSave(configurationOf({ ...draft, topic }, secret, present));
  };

  /** Saves an edit from any step, when the step is right. */
  const saveNow = () => {
    const found = stepErrors(step, draft, secret, storedKey);
    setErrors(found);
    if (Object.keys(found).length > 0 || draft.topic === null || saving) return;
    onSave(configurationOf({ ...draft, topic: draft.topic }, secret, present));
  };

  const { topic } = draft;
  const stays = secretStays(draft, storedKey) && secret === '';
  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        goOn();
      }}
    >
      <StepList current={step} reachable={reachable} onChoose={openStep} />
      {notice}
      {state.restored && state.changed && (
        <div className={styles.notice}>
          <Callout tone="info">
            {webhookEditing.draft.restored}
            <div className={styles.noticeActions}>
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  setSecret('');
                  onDiscard();
                  openStep('target');
                }}
              >
                {webhookEditing.draft.discard}
              </Button>
            </div>
          </Callout>
        </div>
      )}
      <FormProblem error={problem} fields={Object.keys(errors)} />
      <Title order={2} ref={heading} tabIndex={-1} className={styles.title}>
        {webhookEditing.steps[step].title}
      </Title>
      {step === 'target' && (
        <TargetStep
          draft={draft}
          secret={secret}
          secretStays={secretStays(draft, storedKey)}
          secretMoves={secretMovesTarget(draft, storedKey)}
          secretLost={state.restored}
          errors={errors}
          onChange={update}
          onSecret={(entered) => {
            setErrors(NO_ERRORS);
            setSecret(entered);
          }}
        />
      )}
      {step === 'topic' && (
        <TopicStep draft={draft} errors={errors} onTopic={(chosen) => update(withTopic(draft, chosen))} />
      )}
      {step === 'events' && topic !== null && (
        <EventsStep draft={draft} topic={topic} errors={errors} onChange={update} />
      )}
      {step === 'focus' && topic !== null && (
        <FocusStep draft={draft} topic={topic} errors={errors} onChange={update} onChoose={openStep} />
      )}
      {step === 'review' && topic !== null && (
        <ReviewStep
          draft={draft}
          topic={topic}
          secretStays={stays}
          apiOnly={present ?? apiOnlyDefaults}
          isNew={present === null}
          endsError={present?.in_error === true}
          onChoose={openStep}
        />
      )}
      <div className={styles.foot}>
        {step !== 'target' && (
          <Button
            variant="default"
            onClick={() => openStep(STEPS[STEPS.indexOf(step) - 1] ?? 'target')}
            disabled={saving}
          >
            {webhookEditing.back}
          </Button>
        )}
        {present !== null && step !== 'review' && step !== 'focus' && reachable === 'review' && (
          <Button variant="default" onClick={() => openStep('review')}>
            {webhookEditing.steps.review.name}
          </Button>
        )}
        {present !== null && step !== 'review' && (
          <Button onClick={saveNow} loading={saving} disabled={reachable !== 'review'}>
            {webhookEditing.save}
          </Button>
        )}
        <Button
          type="submit"
          loading={saving}
          variant={present === null || step === 'review' ? 'filled' : 'default'}
        >
          {step !== 'review'
            ? webhookEditing.next
            : present === null
              ? webhookEditing.create
              : webhookEditing.save}
        </Button>
      </div>
    </form>
  );
}
