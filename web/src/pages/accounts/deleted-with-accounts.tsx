import { useQueries } from '@tanstack/react-query';
import type { AccountOverview } from '../../api/accounts.ts';
import { registrationListQuery } from '../../api/registrations.ts';
import { accounts } from '../../texts/accounts.ts';
import styles from './accounts.module.css';

const texts = accounts.remove;
/** With more accounts, the registrations are not counted, because each count is a request. */
const MAX_COUNTED_ACCOUNTS = 20;

/** The data that is deleted with accounts. */
export function DeletedWithAccounts({ selected }: { selected: readonly AccountOverview[] }) {
  return (
    <>
      <p>{selected.length > MAX_COUNTED_ACCOUNTS ? texts.uncounted : <DeletedData selected={selected} />}</p>
      <p>{texts.manyEvent}</p>
    </>
  );
}

function DeletedData({ selected }: { selected: readonly AccountOverview[] }) {
  const registered = useQueries({
    queries: selected.map(({ id }) => registrationListQuery({ account_id: id, limit: 1 })),
  });
  if (registered.some(({ isError }) => isError)) return texts.uncounted;
  if (registered.some(({ data }) => data === undefined)) return texts.counting;
  const contents = selected.reduce((sum, { content_count }) => sum + content_count, 0);
  const learners = registered.reduce((sum, { data }) => sum + (data?.total ?? 0), 0);
  if (contents === 0 && learners === 0) return texts.manyNothing;
  const isMore = registered.some(({ data }) => data?.total_is_lower_bound === true);
  return (
    <>
      {texts.goes}
      <span className={styles.goes}>
        {contents > 0 && <span>{texts.contents(contents)}</span>}
        {learners > 0 && <span>{texts.registrations(learners, isMore)}</span>}
      </span>
    </>
  );
}
