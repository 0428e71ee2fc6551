import { IconChevronRight } from '@tabler/icons-react';
import { Fragment } from 'react';
import { AssetLink } from '../../../components/asset-link.tsx';
import { folders } from '../../../texts/content.ts';
import type { FolderNode } from './folder-index.ts';
import styles from './folders.module.css';

/** The path of folders, each with a link. */
export function Breadcrumbs({ path }: { path: readonly FolderNode[] }) {
  if (path.length === 0) return <div className={styles.path} />;
  return (
    <nav aria-label={folders.path} className={styles.path}>
      {path.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && <IconChevronRight size={13} stroke={1.8} aria-hidden />}
          <AssetLink type="FOLDER" id={id}>
            <bdi title={name}>{name}</bdi>
          </AssetLink>
        </Fragment>
      ))}
    </nav>
  );
}
