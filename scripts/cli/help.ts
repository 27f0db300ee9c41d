/** Help texts by command. The first line of each is what the overview shows. */
export const HELP = {
  ingest: `ingest <files, folders or globs …>     upload documents, one per file

Titles are paths relative to the folder given (or to the working directory, for files and globs). PDF, Word, HTML,
Markdown, tables, code and texts in any encoding are read; .gitignore and .gazetteerignore files count, links are not
followed. Run it again after edits, or after it was cut: files that have not changed since are not even sent.

  --concurrency N    files on their way at once (1 to 32, default 4)
  --agents a,b       the agents that may read the documents
  --hidden           also files and folders whose names begin with a dot
  --full             send unchanged files too
  --dry-run          say what would happen, with tokens and costs, and change nothing
  --price USD        per million tokens, for the estimate
  --watch            go on, and send what changes
  --prune            delete the documents of files that vanished from the folders (only those sent from there, and not
                     changed by others since)
  --prune-limit N    refuse to delete more at once (default 50)`,
  export: `export                                 save all that you see: documents, chunks and vectors

  --out FILE         where to (default: standard output); packed where the name ends in .gz
  --force            replace a file of that name`,
  import: `import <file>                          bring an export in, documents as they were; - is standard input

Documents of the same titles are replaced; what is there already stays as it is. Packed files are taken as they are.

  --on-space-mismatch refuse|reembed
                     what to do when the file's vectors are of another model than this server's (default refuse)`,
  search: `search <question>                      find the passages that answer it

  --first N          hits (1 to 100, default 5)
  --mode MODE        VECTOR, TEXT or HYBRID
  --filter JSON      a SearchFilter, e.g. '{"titles":["pumps.md"]}'
  --json             the answer as JSON`,
  indexes: `indexes [list | ensure]                show or create the search indexes (administrators)

  --wait             with ensure: until all of them can be searched`,
  keys: `keys <create | list | revoke>          manage API keys (administrators)

  keys create --owner NAME [--role reader|writer|admin] [--name TEXT] [--agents a,b] [--expires DATE]
      (a date such as 2030-12-31, or 2030-12-31T23:59:59Z)
      prints the key as the last line; the first key ends development mode and must have role admin
  keys list
  keys revoke ID`,
} as const;

export type CommandName = keyof typeof HELP;

export const OVERVIEW = `Usage: npm run gazetteer -- <command> [options]

${Object.values(HELP)
  .map((text) => `  ${text.split('\n', 1)[0]}`)
  .join('\n')}

Options of every command
  --url URL          the server (GAZETTEER_URL, default http://127.0.0.1:4000)
  --api-key KEY      credentials (GAZETTEER_API_KEY is safer: arguments show in process lists)
  --help             what a command does`;
