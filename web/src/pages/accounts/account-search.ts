import { CONTENT_TYPES } from '../../../../src/events/catalogue.ts';
import { ACCOUNT_CONTENT_SORTS, ACCOUNT_SORTS } from '../../../../src/ui-api/content/account-list-choices.ts';
import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import { REGISTRATION_SORTS, REGISTRATION_STATES } from '../../api/registrations.ts';
import { tableSearch } from '../../utilities/table-search.ts';

/** The address of the list. `new` opens the form for a new account. */
export const accountListSearch = tableSearch({
  sorts: ACCOUNT_SORTS,
  filters: { enabled: ['true', 'false'], new: ['yes'] },
});

/** The tabs of an account's page. */
export const ACCOUNT_TABS = ['content', 'registrations', 'events', 'changes'] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

const ofAccount = {
  sorts: [...ACCOUNT_CONTENT_SORTS, ...REGISTRATION_SORTS],
  filters: {
    tab: ACCOUNT_TABS,
    type: CONTENT_TYPES,
    status: REGISTRATION_STATES,
    add: ['yes'],
    new: ['yes'],
  },
  ids: ['course_id'],
} as const;
const ofContent = tableSearch(ofAccount);
const ofRegistrations = tableSearch({ ...ofAccount, maxOffset: MAX_COUNTED });

/** The address of an account's page: the open tab, its table, and the open form. */
export const accountSearch: typeof ofContent = (given) =>
  given.tab === 'registrations' ? ofRegistrations(given) : ofContent(given);
