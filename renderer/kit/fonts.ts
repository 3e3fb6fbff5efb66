import {messageOf} from '../../app/base/text.ts';
import './fonts.css';

/**
 * Loads the whole typeface of the window and of movies. A text on a canvas is not drawn again when a file of its
 * typeface arrives, so nothing may be drawn before.
 *
 * @throws Error if a file of the typeface cannot be loaded, or if the style sheet names no typeface.
 */
export async function loadFonts(fonts: Iterable<Pick<FontFace, 'load' | 'family'>> = document.fonts): Promise<void> {
  const faces = [...fonts];
  if (faces.length === 0) throw new Error('the style sheet names no typeface');
  await Promise.all(
    faces.map(face =>
      face.load().catch((error: unknown) => {
        throw new Error(`a file of the typeface ${face.family} could not be loaded: ${messageOf(error)}`);
      }),
    ),
  );
}
