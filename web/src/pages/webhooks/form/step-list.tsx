import { VisuallyHidden } from '@mantine/core';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { STEPS, type Step } from './draft.ts';
import styles from './form.module.css';

/** Shows the current step, and leads back, and forward to valid steps. */
export function StepList({
  current,
  reachable,
  onChoose,
}: {
  current: Step;
  /** The last step that may be opened. */
  reachable: Step;
  onChoose: (step: Step) => void;
}) {
  const at = STEPS.indexOf(current);
  const last = STEPS.indexOf(reachable);
  return (
    <ol className={styles.steps} aria-label={webhookEditing.stepsLabel}>
      {STEPS.map((step, index) => {
        const name = webhookEditing.steps[step].name;
        if (index === at) {
          return (
            <li key={step} aria-current="step">
              <span className={styles.step} data-state="current">
                <span>
                  <span className={styles.name}>{name}</span>{' '}
                  <span className={styles.position}>· {webhookEditing.step(index + 1, STEPS.length)}</span>
                </span>
              </span>
            </li>
          );
        }
        const words = (
          <>
            <span className={styles.name}>{name}</span>
            {index < at && <VisuallyHidden>({webhookEditing.done})</VisuallyHidden>}
          </>
        );
        return (
          <li key={step}>
            {index <= last ? (
              <button
                type="button"
                className={styles.step}
                data-state={index < at ? 'done' : 'open'}
                aria-label={name}
                onClick={() => onChoose(step)}
              >
                {words}
              </button>
            ) : (
              <span className={styles.step}>{words}</span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
