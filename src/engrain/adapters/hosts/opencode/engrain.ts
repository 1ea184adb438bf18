// Engrain's plugin for OpenCode 1 and 2, written by `engrain setup opencode` and taken out again by
// `engrain setup opencode --remove`. It tells Engrain of a session's moments and hands what Engrain
// remembers to the model. It never throws into the host: without an answer, nothing is added.
import { spawn } from "node:child_process"

const PROGRAM = ["engrain"]
const OURS = "prt_engrain" // how the ids of the parts begin that are ours
// How runners say that tests failed, which a pipe hides.
const TESTS_FAILED = /^(?:=+ (?:.* )?)?[1-9]\d* failed\b|^FAILED \S+::|^ *Test(?:s:?| Files| Suites:) +[1-9]\d* failed\b|^--- FAIL: |^test result: FAILED/m
const LIMIT = 10_000 // milliseconds; Engrain's own deadlines are far below

/** One hook of Engrain's: JSON in, `{context?, message?}` out, `{}` when anything fails. */
function ask(event, payload) {
  return new Promise((resolve) => {
    let output = ""
    const finish = () => {
      clearTimeout(timer)
      try {
        const answer = JSON.parse(output)
        resolve(answer && typeof answer === "object" ? answer : {})
      } catch {
        resolve({})
      }
    }
    const words = [...PROGRAM.slice(1), "hook", event, "--host", "opencode"]
    const child = spawn(PROGRAM[0], words, {
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT)
    child.on("error", finish)
    child.on("close", finish)
    child.stdout.on("data", (data) => (output += data))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

/** What both generations of the plugin interface share: the sessions and what each is owed. */
function follow(cwd) {
  const started = new Set()
  const compacted = new Set()
  const children = new Map() // the parent of each
  const greeted = new Set()
  const touched = new Set()
  const payload = (id, more) => ({ session_id: id, cwd, ...more })
  return {
    isChild: (id) => children.has(id),
    addChild: (id, parent) => children.set(id, parent),
    /** The context for the first prompt of a subagent, which its parent's model writes. */
    async child(id) {
      if (greeted.has(id)) return {}
      greeted.add(id)
      return await ask("subagent", payload(children.get(id), { agent_id: id }))
    },
    /** The context for a prompt, and a line for the person. */
    async prompt(id, prompt) {
      const answers = []
      if (!started.has(id) || compacted.has(id)) {
        const source = compacted.has(id) ? "compact" : "startup"
        started.add(id)
        compacted.delete(id)
        answers.push(await ask("session-start", payload(id, { source })))
      }
      answers.push(await ask("prompt", payload(id, { prompt })))
      const join = (key, between) =>
        answers.map((answer) => answer[key]).filter((text) => typeof text === "string" && text).join(between)
      return { context: join("context", "\n\n"), message: join("message", "; ") }
    },
    /** The context for a call of a tool that failed, or that touches a file for the first time. */
    async tool(id, name, args, output, failed) {
      const path = args?.filePath
      const key = `${id}\n${path}`
      const isNew = typeof path === "string" && !touched.has(key)
      if (isNew) touched.add(key)
      if (!isNew && !failed) return ""
      const more = { tool_name: name, tool_input: args, tool_response: output, failed }
      const { context } = await ask(failed ? "tool-failed" : "tool", payload(id, more))
      return typeof context === "string" ? context : ""
    },
    async compact(id) {
      await ask("pre-compact", payload(id, {}))
      compacted.add(id)
    },
    stop: (id) => ask("stop", payload(id, {})),
    async end(id) {
      if (started.delete(id)) await ask("session-end", payload(id, {}))
    },
  }
}

const isOurs = (part) => typeof part.id === "string" && part.id.startsWith(OURS)

/** A prompt without the quotes that `opencode run` puts around it. */
function unquote(text) {
  return /^"(?:[^"\\]|\\.)*"$/s.test(text) ? text.slice(1, -1).replaceAll('\\"', '"') : text
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
      const { context, message } = sessions.isChild(id) ? await sessions.child(id) : await sessions.prompt(id, prompt)
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
      messages.forEach((message, at) => {
        if (!message.parts.some(isOurs)) return
        const parts = message.parts.map((part) => (isOurs(part) ? { ...part, ignored: false } : part))
        messages[at] = { ...message, parts }
      })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (!sessionID || typeof output?.output !== "string") return
      const code = output.metadata?.exit
      const failed = (typeof code === "number" && code !== 0) || TESTS_FAILED.test(output.output.slice(-4000))
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
      if (event.type === "session.idle") await sessions.stop(id)
      if (event.type === "session.deleted") await sessions.end(id)
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
