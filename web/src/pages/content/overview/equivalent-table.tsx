import { type EquivalentOverview, equivalentListQuery } from '../../../api/equivalents.ts';
import type { Column } from '../../../components/table-columns.ts';
import { content } from '../../../texts/content.ts';
import { AddButton } from './add-button.tsx';
import { ContentTable } from './content-table.tsx';
import type { FolderParts } from './folder-empty.tsx';

/** Maximum number of languages in a row. */
const LANGUAGES_SHOWN = 6;

const COLUMNS: readonly Column<EquivalentOverview>[] = [
  {
    id: 'languages',
    label: content.columns.languages,
    cell: ({ languages }) => (
      <span title={languages.join(', ')}>
        {languages.slice(0, LANGUAGES_SHOWN).join(', ')}
        {languages.length > LANGUAGES_SHOWN && ` +${languages.length - LANGUAGES_SHOWN}`}
      </span>
    ),
  },
];

/** The equivalents of a folder. */
export function EquivalentTable(folder: FolderParts) {
  return (
    <ContentTable
      {...folder}
      kind="equivalents"
      list={equivalentListQuery}
      columns={COLUMNS}
      action={
        <AddButton to="/content/equivalents/new" folderId={folder.folderId}>
          {content.addEquivalent}
        </AddButton>
      }
    />
  );
}
