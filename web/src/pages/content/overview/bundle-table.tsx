import { type BundleOverview, bundleListQuery } from '../../../api/bundles.ts';
import type { Column } from '../../../components/table-columns.ts';
import { content } from '../../../texts/content.ts';
import { AddButton } from './add-button.tsx';
import { ContentTable } from './content-table.tsx';
import type { FolderParts } from './folder-empty.tsx';

const COLUMNS: readonly Column<BundleOverview>[] = [
  {
    id: 'contents',
    label: content.columns.contents,
    align: 'end',
    width: '8rem',
    cell: ({ content_count }) => content_count,
  },
];

/** The bundles of a folder. */
export function BundleTable(folder: FolderParts) {
  return (
    <ContentTable
      {...folder}
      kind="bundles"
      list={bundleListQuery}
      columns={COLUMNS}
      action={
        <AddButton to="/content/bundles/new" folderId={folder.folderId}>
          {content.addBundle}
        </AddButton>
      }
    />
  );
}
