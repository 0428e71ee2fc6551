import type { Page } from 'playwright-core';
import type { Who } from '../../test/ui/support/ui-in-browser.ts';
import type { ExampleData } from './example-data.ts';

/** A page to take pictures of. */
export interface Scene {
  /** Of its files: `administrators-invite`. */
  name: string;
  address: string | ((known: { data: ExampleData | null; announced: string }) => string);
  /** Who looks at it; an administrator by default. */
  as?: Who;
  /** In a service that has just been started for the first time: without data, without administrators. */
  empty?: boolean;
  /** What is done on the page first. The picture is then of the window, not of the whole page. */
  act?: (page: Page, phone: boolean) => Promise<void>;
}
