import { formerPage, leavePage } from './former-page.ts';
import { hasLoss, noteLoss } from './lost-work.ts';
import { endOf, isRefusal, OK, type PageResponse, post, Refusal, send, UNAVAILABLE } from './server.ts';
import { forgetUnsent, hasUnsent, removeFormer, takeUnsent } from './unsent.ts';

/**
 * The outcome of sending the unsent data of an earlier page. `lost`: that page has said that it will be saved, and the
 * service no longer accepts it. `unreachable` and `stuck`: the browser still keeps it. `stuck`: it has failed so often
 * that the learner may give it up.
 */
export type UnsentOutcome = 'nothing' | 'recorded' | 'lost' | 'unreachable' | 'stuck';

/** The state of earlier pages, as far as a page knows it. */
export interface EarlierPages {
  /** Whether the service has just stored their unsent data. */
  wasRecovered: boolean;
  /** Whether unsent data is lost that was to be saved later, and no page has shown that. */
  isLost: boolean;
  /** Whether windows of the page that this tab had loaded before keep recording; null if there was no such page. */
  isContinued: boolean | null;
}

export const NO_EARLIER_PAGES: EarlierPages = { wasRecovered: false, isLost: false, isContinued: null };

/** The page cannot open without losing the unsent data of an earlier page. */
export class StuckUnsent extends Error {
  override name = 'StuckUnsent';
}

/** The service refuses to open the page. */
export class RefusedPage extends Refusal {
  override name = 'RefusedPage';
  /** Whether unsent data of an earlier page, which was to be saved later, is lost, and no opened page has said so. */
  readonly isLost: boolean;

  constructor({ status, text }: Refusal, isLost: boolean) {
    super(status, text);
    this.isLost = isLost;
  }
}

/**
 * Resolves once the learner has asked for the page. Browsers also prepare pages in advance, and run their scripts. A tab
 * that the learner has opened behind another one does not wait.
 */
async function untilActivated(): Promise<void> {
  if (!(document as { prerendering?: boolean }).prerendering) return;
  await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }));
}

/**
 * Opens the page, once the unsent data of an earlier page is sent: the service would then reject it as older.
 * @param givesUpUnsent whether the learner gives it up if it still cannot be sent
 * @returns the page, and what it knows of earlier ones
 * @throws {StuckUnsent} @throws {RefusedPage} if another try would also fail @throws {Refusal}
 * @throws {Error} without a response
 */
export async function openPage(givesUpUnsent: boolean): Promise<{ page: PageResponse } & EarlierPages> {
  await untilActivated();
  const former = formerPage();
  const unsent = await sendUnsent();
  if (unsent === 'stuck' && !givesUpUnsent) throw new StuckUnsent();
  if (unsent === 'unreachable') throw new Refusal(UNAVAILABLE);
  const continues = former === null || former.isToTakeOver ? {} : { continues: former.page };
  const page = await requestPage(continues, unsent);
  leavePage(page.page);
  const { registration, attempt } = page;
  const recorded = page.mode === 'normal' ? registration : null;
  if (givesUpUnsent && recorded !== null)
    forgetUnsent({ registration: recorded, attempt }, { page: page.page, sequence: 0 });
  return {
    page,
    wasRecovered: unsent === 'recorded',
    isLost: unsent === 'lost' || (recorded !== null && hasLoss(recorded)),
    isContinued: former === null ? null : page.isContinued,
  };
}

/** Requests the page. If the service refuses it, nothing else says what was lost. @throws what {@link openPage} throws */
async function requestPage(continues: { continues?: number }, unsent: UnsentOutcome): Promise<PageResponse> {
  try {
    return await post<PageResponse>('open', continues);
  } catch (error) {
    if (!(error instanceof Refusal) || !isRefusal(error.status)) throw error;
    throw new RefusedPage(error, unsent === 'lost' || (await hasOwnerLoss()));
  }
}

/** Whether the page before was refused, too, and has noted a loss. Perhaps the learner has not seen that page. */
async function hasOwnerLoss(): Promise<boolean> {
  const { registration = null } = (await currentOwner()) ?? {};
  return registration !== null && hasLoss(registration);
}

/**
 * Sends the data that an earlier page of the registration left unsent in this browser. Await it before the new page
 * opens: the service accepts the data only until a newer page opens, in this browser or another.
 */
export async function sendUnsent(): Promise<UnsentOutcome> {
  if (!hasUnsent()) return 'nothing';
  const owner = await currentOwner();
  if (owner === null) return 'unreachable';
  if (owner.registration === null) return 'nothing';
  const { registration, attempt } = owner;
  const lost = removeFormer({ registration, attempt });
  for (const each of lost) noteLoss(each);
  const isFormerLost = lost.includes(registration);
  const unsent = takeUnsent({ registration, attempt });
  if (unsent === null) return isFormerLost ? 'lost' : 'nothing';
  const { path, write, isPromised, isStuck } = unsent;
  try {
    const response = await post<{ outcome: string }>(path, { ...write, lateOf: attempt });
    forgetUnsent({ registration, attempt }, write);
    // The data of a closed tab may have arrived even if its page did not receive the response.
    return response.outcome === 'recorded' ? 'recorded' : 'nothing';
  } catch (error) {
    if (!(error instanceof Refusal) || !isRefusal(error.status)) return isStuck ? 'stuck' : 'unreachable';
    // This launch has expired as well. Opening its page shows that.
    if (endOf(error) === 'over') return 'nothing';
    const wasKept = forgetUnsent({ registration, attempt }, write);
    // The service may have it: a page that was closed does not receive the response. Another tab that opens at the same
    // time may also have sent it, or have noted its loss.
    if (!isPromised || !wasKept) return 'nothing';
    noteLoss(registration);
    return 'lost';
  }
}

/** The registration and attempt that the page is about to play; null if the service cannot be reached. */
async function currentOwner(): Promise<{ registration: string | null; attempt: number } | null> {
  try {
    const { status, text } = await send('attempt', null);
    // If something is wrong with the launch, opening it shows that.
    if (isRefusal(status)) return { registration: null, attempt: 0 };
    return status === OK ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
