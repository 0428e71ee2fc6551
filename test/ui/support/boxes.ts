import type { Locator } from 'playwright-core';
import { until } from '../../support/until.ts';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * The position of an element, once it is drawn. A page that loads may replace an element that was found just before.
 */
export async function boxOf(locator: Locator): Promise<Box> {
  return await until(async () => {
    const box = await locator.boundingBox();
    return box !== null && isDrawn(box) && box;
  }, `${locator} is drawn`);
}

/** The position of an element's text, whatever its box, once it is drawn. */
export async function wordsOf(locator: Locator): Promise<Box> {
  return await until(async () => {
    const box = await locator.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x, y, width, height };
    });
    return isDrawn(box) && box;
  }, `the words of ${locator} are drawn`);
}

function isDrawn({ width, height }: Box): boolean {
  return width > 0 && height > 0;
}
