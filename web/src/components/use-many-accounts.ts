import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ContentReference } from '../../../src/events/event.ts';
import { accountsKey } from '../api/accounts.ts';
import { contentKey } from '../api/folders.ts';
import { changeManyAccounts, type ManyAccountsResult } from '../api/many-accounts.ts';
import { manyAccounts as texts } from '../texts/many-accounts.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { notifyDone, notifyError, notifyNote } from './notify.tsx';

/**
 * Adds content to many accounts or removes it, step by step, with a progress text. If it is stopped, the current step
 * is finished, and a notice says how many accounts are done. `onDone` is not called then, because the dialog is closed,
 * or open for another choice.
 */
export function useManyAccounts(act: 'add' | 'remove', onDone: () => void) {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState<string | null>(null);
  const stopper = useRef<AbortController>(null);
  useEffect(() => () => stopper.current?.abort(), []);
  const change = useMutation({
    mutationFn: async ({
      accountIds,
      contents,
    }: {
      accountIds: readonly number[];
      contents: readonly ContentReference[];
    }): Promise<ManyAccountsResult & { isStopped: boolean }> => {
      const own = new AbortController();
      stopper.current = own;
      const total = formatNumber(accountIds.length);
      try {
        const result = await changeManyAccounts(act, accountIds, contents, {
          signal: own.signal,
          onStep: (done) => {
            if (!own.signal.aborted) setProgress(texts.progress(formatNumber(done), total));
          },
        });
        return { ...result, isStopped: own.signal.aborted };
      } catch (error) {
        // Its dialog, which would show the error, is closed.
        if (own.signal.aborted) notifyError(error);
        throw error;
      } finally {
        if (stopper.current === own) setProgress(null);
      }
    },
    onSuccess: ({ accounts, changed, unchanged, isStopped }, { accountIds }) => {
      if (accounts < accountIds.length)
        notifyNote(texts.stopped(formatNumber(accounts), formatNumber(accountIds.length)));
      else notifyDone(texts[act].done(changed, unchanged, accounts));
      if (!isStopped) onDone();
    },
    onSettled: () => {
      // Not awaited: in an outage, the lists would delay the error.
      for (const queryKey of [accountsKey, contentKey]) void queryClient.invalidateQueries({ queryKey });
    },
  });
  const stop = () => {
    stopper.current?.abort();
    setProgress(null);
  };
  return { change, progress, stop };
}
