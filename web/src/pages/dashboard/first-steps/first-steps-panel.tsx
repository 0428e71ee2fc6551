import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { ButtonLink } from '../../../components/links.tsx';
import { Panel } from '../../../components/panel.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { dashboard } from '../../../texts/dashboard.ts';
import styles from './first-steps.module.css';
import { FIRST_STEPS, type FirstStep, type FirstSteps } from './use-first-steps.ts';

const texts = dashboard.firstSteps;

/** Leads from an empty service to the first postback. The next step is emphasized, but later ones can be done first. */
export function FirstStepsPanel({ steps }: { steps: FirstSteps }) {
  const next = FIRST_STEPS.find((step) => !steps.done.has(step));
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        <>
          <span className={styles.progress}>{texts.progress(steps.done.size, FIRST_STEPS.length)}</span>
          <Button variant="default" size="xs" onClick={steps.hide}>
            {texts.hide}
          </Button>
        </>
      }
    >
      <ol className={styles.steps}>
        {FIRST_STEPS.map((step, index) => (
          <Step
            key={step}
            step={step}
            number={index + 1}
            state={steps.done.has(step) ? 'done' : step === next ? 'next' : 'later'}
            webhookId={steps.webhookId}
          />
        ))}
      </ol>
    </Panel>
  );
}

function Step({
  step,
  number,
  state,
  webhookId,
}: {
  step: FirstStep;
  number: number;
  state: 'done' | 'next' | 'later';
  webhookId: number | null;
}) {
  const { title, description, action } = texts.steps[step];
  const readOnly = useWebhooksReadOnly();
  const isHeld = readOnly && step === 'postback';
  const link = isHeld ? null : linkOf(step, webhookId);
  return (
    <li className={styles.step} data-state={state} {...(state === 'next' ? { 'aria-current': 'step' } : {})}>
      <span className={styles.mark} aria-hidden="true">
        {state === 'done' ? <IconCheck size={16} stroke={2} /> : number}
      </span>
      <div>
        <h3 className={styles.title}>
          {title}
          {state === 'done' && <span className={styles.done}>{texts.done}</span>}
        </h3>
        <p className={styles.description}>{description}</p>
      </div>
      {state !== 'done' &&
        (link === null ? (
          <span className={styles.later}>
            {isHeld ? texts.steps.postback.readOnly : texts.steps.postback.later}
          </span>
        ) : (
          <ButtonLink size="xs" variant={state === 'next' ? 'filled' : 'default'} {...link}>
            {action}
          </ButtonLink>
        ))}
    </li>
  );
}

function linkOf(
  step: FirstStep,
  webhookId: number | null,
): Pick<LinkProps, 'to' | 'params' | 'search'> | null {
  switch (step) {
    case 'course':
      return { to: '/content' };
    case 'client':
      return { to: '/administration/integrations/clients' };
    case 'webhook':
      return { to: '/administration/integrations/webhooks/new' };
    case 'postback':
      return webhookId === null
        ? null
        : {
            to: '/administration/integrations/webhooks/$webhookId',
            params: { webhookId },
            search: { tab: 'history' },
          };
  }
}
