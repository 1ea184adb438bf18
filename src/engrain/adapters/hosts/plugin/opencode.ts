import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const OURS = "prt_engrain" // how the ids of the parts begin that are ours
const isOurs = (part) => typeof part.id === "string" && part.id.startsWith(OURS)

/** A prompt without the quotes that `opencode run` puts around it. */
function unquote(text) {
  return /^"(?:[^"\\]|\\.)*"$/s.test(text) ? text.slice(1, -1).replaceAll('\\"', '"') : text
}

const KEPT = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode", "engrain")
const DAYS = 7 // for which a transcript is kept
const transcript = (id) => join(KEPT, `${id}.jsonl`)

/** Write what was said and done in a session, for Engrain to learn from; nothing of what Engrain gave. It waits for
 * nothing, since `opencode run` ends with its turn. */
function keep(id, cwd, messages) {
  try {
    mkdirSync(KEPT, { recursive: true, mode: 0o700 })
    for (const path of readdirSync(KEPT).map((name) => join(KEPT, name))) {
      if (statSync(path).mtimeMs < Date.now() - DAYS * 86_400_000) rmSync(path)
    }
    const lines = messages.map(({ info, parts }) => {
      const { sessionID, role, time, tokens, error } = info
      const said = parts
        .filter((part) => part.type === "tool" || (part.type === "text" && !part.synthetic && !isOurs(part)))
        .map(({ type, text, callID, tool, state = {} }) => {
          if (type === "text") return { type, text: role === "user" ? unquote(text) : text }
          const { status, input, error, metadata, time } = state
          const output = state.output?.replace(/\n*<engrain-memory [^]*/, "")
          return { type, callID, tool, state: { status, input, output, error, exit: metadata?.exit, time } }
        })
      const about = { id: info.id, sessionID, role, time, tokens, error: !!error }
      return `${JSON.stringify({ host: HOST, cwd, info: about, parts: said })}\n`
    })
    writeFileSync(`${transcript(id)}.new`, lines.join(""), { mode: 0o600 })
    renameSync(`${transcript(id)}.new`, transcript(id))
  } catch {}
}

/** OpenCode 1: a function that returns hooks. */
async function server({ client, directory }) {
  const sessions = follow(directory)
  let count = 0
  return {
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!id || !texts.length) return
      const prompt = texts.map((part) => unquote(part.text)).join("\n")
      const isContinued = async () => {
        const kept = await client?.session?.messages?.({ path: { id } })?.catch?.(() => {})
        return kept?.data?.some?.(({ info }) => info.role === "assistant") ?? false
      }
      const { context, message } = sessions.isChild(id)
        ? await sessions.child(id)
        : await sessions.prompt(id, prompt, isContinued)
      if (context) {
        // Ignored where a title is made of the message; the model gets it below.
        output.parts.push({
          id: `${OURS}${Date.now().toString(36)}${count++}`,
          sessionID: id,
          messageID: output.message.id,
          type: "text",
          text: context,
          synthetic: true,
          ignored: true,
        })
      }
      if (message) {
        await client?.tui?.showToast?.({ body: { message, variant: "info" } })?.catch?.(() => {})
      }
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      const id = messages[0]?.info.sessionID
      if (id && sessions.isLearning() && !sessions.isChild(id)) keep(id, directory, messages)
      messages.forEach((message, at) => {
        if (!message.parts.some(isOurs)) return
        const parts = message.parts.map((part) => (isOurs(part) ? { ...part, ignored: false } : part))
        messages[at] = { ...message, parts }
      })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (!sessionID || typeof output?.output !== "string") return
      const code = output.metadata?.exit
      const failed = typeof code === "number" && code !== 0
      const context = await sessions.tool(sessionID, tool, args, output.output, failed)
      if (context) output.output += `\n\n${context}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await sessions.compact(sessionID)
    },
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const id = about.sessionID ?? about.info?.id
      if (event.type === "session.created" && about.info?.parentID) sessions.addChild(id, about.info.parentID)
      if (!id || sessions.isChild(id)) return
      if (event.type === "session.idle") {
        const told = sessions.stop(id, sessions.isLearning() ? { transcript_path: transcript(id) } : {})
        const kept = sessions.isLearning() && (await client?.session?.messages?.({ path: { id } })?.catch?.(() => {}))
        if (kept?.data) keep(id, directory, kept.data)
        await told
      }
      if (event.type === "session.deleted") {
        rmSync(transcript(id), { force: true })
        await sessions.end(id)
      }
    },
  }
}

/** OpenCode 2: a setup that registers hooks on its context. */
async function setup(ctx) {
  const sessions = follow(ctx.location?.directory ?? process.cwd())
  const closing = new AbortController()
  await ctx.session.hook("prompt", async (event) => {
    const text = event.prompt?.text
    if (!text) return
    const id = event.sessionID
    const { context } = sessions.isChild(id) ? await sessions.child(id) : await sessions.prompt(id, text)
    if (context) event.prompt.text = `${text}\n\n${context}`
  })
  await ctx.session.hook("compaction", async (event) => {
    if (!sessions.isChild(event.sessionID)) await sessions.compact(event.sessionID)
  })
  const listen = async () => {
    for await (const event of ctx.event.subscribe({ signal: closing.signal })) {
      const id = event.data?.sessionID
      if (event.type === "session.created" && event.data?.parentID) sessions.addChild(id, event.data.parentID)
      if (!id || sessions.isChild(id)) continue
      if (event.type === "session.execution.succeeded") await sessions.stop(id)
      if (event.type === "session.deleted") await sessions.end(id)
    }
  }
  listen().catch(() => {})
  return () => closing.abort()
}

export default { id: "engrain", server, setup }
