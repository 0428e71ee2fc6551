import type { Locator } from 'playwright-core';
import { until } from '../../support/until.ts';

/** Waits until a field has this value: a form may get it after the page has changed. */
export async function hasValue(field: Locator, value: string): Promise<void> {
  await until(async () => (await field.inputValue()) === value, `${field} has the value ${value}`);
}
