import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ContentReference } from '../../../src/events/event.ts';
import { accountsKey } from '../api/accounts.ts';
import { contentKey } from '../api/folders.ts';
import { changeManyAccounts, type ManyAccountsResult } from '../api/many-accounts.ts';
import { manyAccounts as texts } from '../texts/many-accounts.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { notifyDone } from './notify.tsx';

/**
 * Adds content to many accounts or removes it, step by step, with a progress text. If it is stopped, the current step
 * is finished.
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
    }): Promise<ManyAccountsResult> => {
      stopper.current = new AbortController();
      const total = formatNumber(accountIds.length);
      return await changeManyAccounts(act, accountIds, contents, {
        signal: stopper.current.signal,
        onStep: (done) => setProgress(texts.progress(formatNumber(done), total)),
      });
    },
    onSuccess: ({ changed, unchanged }, { accountIds }) => {
      notifyDone(texts[act].done(changed, unchanged, accountIds.length));
      onDone();
    },
    onSettled: async () => {
      setProgress(null);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: accountsKey }),
        queryClient.invalidateQueries({ queryKey: contentKey }),
      ]);
    },
  });
  return { change, progress, stop: () => stopper.current?.abort() };
}
