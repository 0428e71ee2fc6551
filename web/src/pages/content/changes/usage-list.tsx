import type { AssetReference } from '../../../api/content-assets.ts';
import type { ContentUsage } from '../../../api/content-usage.ts';
import { AssetLink } from '../../../components/asset-link.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { courses } from '../../../texts/courses.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import styles from './changes.module.css';

const words = courses.usage;
const KINDS = [
  { kind: 'equivalents', type: 'EQUIVALENT' },
  { kind: 'bundles', type: 'BUNDLE' },
  { kind: 'accounts', type: 'ACCOUNT' },
] as const;

/** Whether anything uses it. */
export function isUsed(usage: ContentUsage): boolean {
  return isHeld(usage) || usage.registrations.total > 0;
}

/** Whether an account or other content has it. */
export function isHeld({ accounts, equivalents, bundles }: ContentUsage): boolean {
  return accounts.total + equivalents.total + bundles.total > 0;
}

/** The users of an asset, with links to the pages where it can be removed from them. */
export function UsageList({ usage, asset: { type, id } }: { usage: ContentUsage; asset: AssetReference }) {
  const { registrations } = usage;
  return (
    <dl className={styles.reasons}>
      {KINDS.filter(({ kind }) => usage[kind].total > 0).map(({ kind, type: userType }) => {
        const { data, total, total_is_lower_bound } = usage[kind];
        const more = total - data.length;
        return (
          <div key={kind}>
            <dt>
              {words[kind]} ({formatNumber(total)}
              {total_is_lower_bound && '+'})
            </dt>
            <dd>
              <ul className={styles.links}>
                {data.map(({ id: userId, name }) => (
                  <li key={userId}>
                    <AssetLink type={userType} id={userId}>
                      <bdi>{name}</bdi>
                    </AssetLink>
                  </li>
                ))}
                {more > 0 && <li>{words.more(formatNumber(more) + (total_is_lower_bound ? '+' : ''))}</li>}
              </ul>
            </dd>
          </div>
        );
      })}
      {registrations.total > 0 && (
        <div>
          <dt>{words.registrations}</dt>
          <dd>
            <AnchorLink
              to="/registrations"
              search={{ [type === 'COURSE' ? 'course_id' : 'equivalent_id']: id } as never}
            >
              {words.registrationsOf(registrations.total, registrations.total_is_lower_bound === true)}
            </AnchorLink>
          </dd>
        </div>
      )}
    </dl>
  );
}
