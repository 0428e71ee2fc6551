import { AssetLink } from '../../../components/asset-link.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import styles from './folders.module.css';
import { useFolderIndex } from './use-folder-index.ts';

/** The folders that hold an asset; its location in words until (or unless) the tree tells more. */
export function FolderPath({ folderId, location }: { folderId: number; location: string }) {
  const { index } = useFolderIndex();
  const node = index?.get(folderId);
  if (index !== null && node !== undefined) return <Breadcrumbs path={index.path(node)} />;
  return (
    <div className={styles.path}>
      <AssetLink type="FOLDER" id={folderId}>
        <bdi>{location}</bdi>
      </AssetLink>
    </div>
  );
}
