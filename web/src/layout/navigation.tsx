import { IconApi } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { serviceAddress } from '../api/addresses.ts';
import {
  ADMINISTRATION,
  type Destination,
  type Entry,
  MAIN,
  openEntries,
} from '../navigation/destinations.ts';
import { useMay } from '../session/session-context.ts';
import { navigation } from '../texts/navigation.ts';
import styles from './navigation.module.css';

/** The navigation: the pages that the signed-in person may open. */
export function Navigation() {
  const may = useMay();
  const administration = openEntries(ADMINISTRATION, may);
  return (
    <nav aria-label={navigation.label} className={styles.navigation}>
      <Entries entries={openEntries(MAIN, may)} />
      {administration.length > 0 && (
        <>
          <div className={styles.group} id="navigation-administration">
            {navigation.administration}
          </div>
          <Entries entries={administration} labelledBy="navigation-administration" />
        </>
      )}
      <div className={styles.rest} />
      <a className={styles.link} href={serviceAddress('/docs')} target="_blank" rel="noreferrer">
        <IconApi size={18} stroke={1.6} />
        {navigation.apiReference}
      </a>
    </nav>
  );
}

function Entries({ entries, labelledBy }: { entries: readonly Entry[]; labelledBy?: string }) {
  return (
    <ul className={styles.list} {...(labelledBy === undefined ? {} : { 'aria-labelledby': labelledBy })}>
      {entries.map(({ icon: Icon, parts, needs: _needs, ...entry }) => (
        <li key={entry.to}>
          {parts === undefined ? (
            <DestinationLink {...entry}>
              <Icon size={18} stroke={1.6} />
            </DestinationLink>
          ) : (
            <>
              <div className={styles.heading} id={headingId(entry)}>
                <Icon size={18} stroke={1.6} />
                {entry.label}
              </div>
              <ul className={styles.parts} aria-labelledby={headingId(entry)}>
                {parts.map(({ needs: _needs, ...part }) => (
                  <li key={part.to}>
                    <DestinationLink {...part} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function DestinationLink({
  to,
  label,
  exact = false,
  children,
}: Omit<Destination, 'needs'> & { children?: ReactNode }) {
  return (
    <Link to={to} className={styles.link} activeOptions={{ exact, includeSearch: false }}>
      {children}
      {label}
    </Link>
  );
}

function headingId({ to }: Destination): string {
  return `navigation${to.replaceAll('/', '-')}`;
}
