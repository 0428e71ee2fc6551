import type { Page } from 'playwright-core';
import type { Who } from '../../test/ui/support/ui-in-browser.ts';
import type { ExampleData } from './example-data.ts';

/** A page of which pictures are taken. */
export interface Scene {
  /** The name of its files: `administrators-invite`. */
  name: string;
  address: string | ((known: { data: ExampleData | null; announced: string }) => string);
  /** Who views it; an administrator by default. */
  as?: Who;
  /** Uses a service that has just started for the first time, without data or administrators. */
  empty?: boolean;
  /** Actions on the page before the picture. The picture then shows the window, not the whole page. */
  act?: (page: Page, phone: boolean) => Promise<void>;
}
