import { Pagination } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { shared } from '../texts/shared.ts';
import { PHONE } from './use-row-form.ts';

const words = shared.table;

/** The pages of a list, numbered from 1, if there are several. */
export function ListPages({
  pages,
  page,
  onPage,
}: {
  pages: number;
  page: number;
  onPage: (page: number) => void;
}) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  if (pages < 2) return null;
  return (
    <Pagination
      component="nav"
      aria-label={words.pages}
      size="sm"
      total={pages}
      value={page}
      siblings={isPhone === true ? 0 : 1}
      onChange={onPage}
      getItemProps={(number) => ({ 'aria-label': words.page(number) })}
      getControlProps={(control) => ({
        'aria-label': control === 'previous' ? words.previous : words.next,
      })}
    />
  );
}
