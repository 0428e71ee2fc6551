import { sharedBrowser } from './shared-browser.ts';
import { startUiIn, type Ui, type UiOptions } from './ui-in-browser.ts';

export { PHONE, type Ui } from './ui-in-browser.ts';

/** Starts a service with the built UI, an administrator and a viewer, for visits in the browser of this process. */
export async function startUi(options: UiOptions = {}): Promise<Ui> {
  return await startUiIn(await sharedBrowser(), options);
}
