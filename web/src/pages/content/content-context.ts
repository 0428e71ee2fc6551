import { createContext, type RefObject, use } from 'react';
import type { AssetReference } from '../../api/content-assets.ts';
import type { UploadQueue } from './uploads/upload-queue.ts';

/** Something that is dragged to another folder; a folder itself or what stands in one. */
export interface Dragged extends AssetReference {
  name: string;
  folderId: number;
}

/** What the pages of the content share while people go from one to another. */
export interface ContentState {
  uploads: UploadQueue;
  /** Folders that are open in the tree. */
  expanded: ReadonlySet<number>;
  setExpanded: (change: (expanded: ReadonlySet<number>) => ReadonlySet<number>) => void;
  /** What is dragged at the moment: browsers tell it only when it is dropped. */
  dragged: RefObject<readonly Dragged[]>;
}

export const ContentContext = createContext<ContentState | null>(null);

export function useContent(): ContentState {
  const state = use(ContentContext);
  if (state === null) throw new Error('there is no content state outside its layout');
  return state;
}
