import { AssetLink } from '../../../components/asset-link.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import styles from './folders.module.css';
import { useFolderIndex } from './use-folder-index.ts';

/** The path of an asset's folder, or its location as text while the tree is unavailable. */
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
