import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Subtopic } from '../../../../../src/events/catalogue.ts';
import type { WebhookConfiguration, WebhookRecord } from '../../../api/webhook-records.ts';
import { testConfiguration } from '../../../api/webhooks.ts';
import { configurationOf, type Draft, storedKeyOf } from './draft.ts';
import { draftErrors } from './draft-checks.ts';
import { useDraftErrors } from './use-draft-errors.ts';

/**
 * The input of the form of a webhook, its errors, and the test message that can be sent with it.
 * @param initial the draft with which the form starts
 * @param current the edited webhook; null for a new one
 * @param problem the error of the last attempt to save
 */
export function useWebhookDraft(initial: Draft, current: WebhookRecord | null, problem: unknown) {
  const [draft, setDraft] = useState(initial);
  // Separate from the draft, so that no message or comparison contains it.
  const [secret, setSecret] = useState('');
  const found = draftErrors(draft, secret, storedKeyOf(current));
  const { form, errors, showRefusal, clearRefusal, check } = useDraftErrors(found, problem);
  const test = useMutation({
    mutationFn: ({ configuration, subtopic }: { configuration: WebhookConfiguration; subtopic: Subtopic }) =>
      testConfiguration(configuration, current?.id, subtopic),
    onError: showRefusal,
  });
  const afterChange = () => {
    clearRefusal();
    test.reset();
  };
  return {
    /** For the element of the form. */
    form,
    draft,
    secret,
    errors,
    changed: secret !== '' || JSON.stringify(draft) !== JSON.stringify(initial),
    change: (next: Draft) => {
      setDraft(next);
      afterChange();
    },
    changeSecret: (entered: string) => {
      setSecret(entered);
      afterChange();
    },
    /** The configuration; null if it is invalid. Errors are then shown. */
    checkedConfiguration: (): WebhookConfiguration | null => {
      const { topic } = draft;
      return check() && topic !== null ? configurationOf({ ...draft, topic }, secret, current) : null;
    },
    test,
  };
}
