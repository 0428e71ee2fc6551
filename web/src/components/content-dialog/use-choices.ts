import { useLayoutEffect, useState } from 'react';
import { assetKey } from '../../../../src/events/asset-key.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import type { Choice } from './choice.ts';

/**
 * The choices, over several searches and pages.
 * @param max maximum number of choices
 * @param onChanged called when there are choices, or none any more
 */
export function useChoices<T extends Choice>(max: number, onChanged: (hasChoices: boolean) => void) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, T>>(new Map());
  const [submitted, setSubmitted] = useState(false);
  const assets = [...chosen.values()];
  const hasChoices = assets.length > 0;
  useLayoutEffect(() => {
    onChanged(hasChoices);
    return () => onChanged(false);
  }, [hasChoices, onChanged]);
  const tooMany = assets.length > max;
  return {
    /** By their keys. */
    chosen,
    assets,
    choose: (those: readonly T[], isChosen: boolean) => {
      setSubmitted(false);
      setChosen((before) => {
        const after = new Map(before);
        for (const asset of those) {
          if (isChosen) after.set(assetKey(asset), asset);
          else after.delete(assetKey(asset));
        }
        return after;
      });
    },
    /** Why they cannot be added; null if they can, or if an empty choice was not submitted yet. */
    problem: tooMany ? texts.tooMany(max) : submitted && !hasChoices ? texts.nothingChosen : null,
    /** Returns whether they can be added. If not, the problem is then shown. */
    check: (): boolean => {
      setSubmitted(true);
      return hasChoices && !tooMany;
    },
  };
}
