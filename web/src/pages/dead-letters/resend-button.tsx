import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type DeadLetter, deadLettersKey, redeliverDeadLetter } from '../../api/dead-letters.ts';
import { newIdempotencyKey } from '../../api/request.ts';
import { BusyButton } from '../../components/busy-button.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import { deadLetters } from '../../texts/dead-letters.ts';
import { webhooks } from '../../texts/webhooks.ts';

/** Redelivers one dead letter. */
export function ResendButton({ letter }: { letter: DeadLetter }) {
  const queryClient = useQueryClient();
  // One key, so that a second click, or a retry after a lost response, does nothing twice.
  const key = useRef('');
  const send = useMutation({
    mutationFn: () => {
      if (key.current === '') key.current = newIdempotencyKey();
      return redeliverDeadLetter(letter, key.current);
    },
    onSuccess: (wasDead) => {
      // If the message is a dead letter again, it can be sent again.
      key.current = '';
      notifyDone(wasDead ? deadLetters.resent : deadLetters.notResent);
    },
    onError: notifyError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: deadLettersKey }),
  });
  const cannot = letter.webhook_deleted
    ? deadLetters.cannot.deleted
    : letter.webhook_enabled
      ? undefined
      : deadLetters.cannot.inactive;
  return (
    <BusyButton
      variant="default"
      size="compact-sm"
      onClick={() => send.mutate()}
      isBusy={send.isPending}
      disabled={cannot !== undefined}
      title={cannot}
      aria-label={deadLetters.resendOf(webhooks.subtopics[letter.subtopic].name, letter.id)}
    >
      {deadLetters.resend}
    </BusyButton>
  );
}
