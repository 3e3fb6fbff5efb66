import type {Server} from './server.ts';

/** The server of this program, whose scheduler is a setting of the panes. */
export const plain: Server<'plain'> = {
  name: 'plain',
  label: 'plain server',
  about: 'the scheduler of the pane decides, and the server writes only four packets ahead',
};
