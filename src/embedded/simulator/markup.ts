import type { Formatted } from './formatted';
import { MarkupError } from './formatted';
import { HtmlRules, parseHtml } from './markup-html';
import { parseMaxMarkdown } from './markup-markdown-max';
import { parseMarkdown, parseMarkdownV2 } from './markup-markdown';

/** What a Telegram user sees of a text; throws MarkupError as strictly as the real service. */
export function parseTelegramText(text: string, parseMode: string | null): Formatted {
  switch (parseMode?.toLowerCase() ?? '') {
    case '':
      return trimmed({ text, entities: [] });
    case 'html':
      return trimmed(parseHtml(text, HtmlRules.telegram));
    case 'markdownv2':
      return trimmed(parseMarkdownV2(text));
    case 'markdown':
      return trimmed(parseMarkdown(text));
    default:
      throw new MarkupError('unsupported parse_mode');
  }
}

/** MAX forgives: what it cannot read as markup, it shows as it stands. */
export function parseMaxText(text: string, format: string | null): Formatted {
  if (format === 'html') return parseHtml(text, HtmlRules.max);
  if (format === 'markdown') return parseMaxMarkdown(text);
  return { text, entities: [] };
}

function trimmed({ text, entities }: Formatted): Formatted {
  const start = text.length - text.trimStart().length;
  const result = text.trim();
  const kept = entities
    .map((entity) => {
      const from = Math.max(entity.offset - start, 0);
      const to = Math.min(entity.offset + entity.length - start, result.length);
      return { ...entity, offset: from, length: to - from };
    })
    .filter((entity) => entity.length > 0)
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text: result, entities: kept };
}
