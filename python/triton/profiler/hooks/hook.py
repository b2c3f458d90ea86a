"""Objects that are told of every kernel that is loaded and launched, in sessions that go on and off."""
from ... import knobs


class Hook:
    """What `HookManager.register` takes. A higher `priority` is told first."""

    priority = 0

    def init_handle(self, module, function, name, metadata_group, hash):
        """A kernel is loaded."""

    def enter(self, metadata):
        """A launch begins."""

    def exit(self, metadata):
        """A launch has ended."""

    def activate(self):
        """Its session goes on."""

    def deactivate(self):
        """Its session goes off."""


class HookManager:
    """All hooks, by session."""

    active_hooks = []
    session_hooks = {}  # session: {hook: whether it is on}

    @staticmethod
    def init_handle(module, function, name, metadata_group, hash):
        for hook in HookManager.active_hooks:
            hook.init_handle(module, function, name, metadata_group, hash)

    @staticmethod
    def enter(metadata):
        for hook in HookManager.active_hooks:
            hook.enter(metadata)

    @staticmethod
    def exit(metadata):
        for hook in reversed(HookManager.active_hooks):
            hook.exit(metadata)

    @staticmethod
    def _switch(session, is_on):
        for each in list(HookManager.session_hooks) if session is None else [session]:
            hooks = HookManager.session_hooks.get(each, {})
            hooks.update(dict.fromkeys(hooks, is_on))
        HookManager._update()

    @staticmethod
    def _update():
        """Makes active what some session has on, and nothing else."""
        wanted = {hook: None for hooks in HookManager.session_hooks.values() for hook, is_on in hooks.items() if is_on}
        active = HookManager.active_hooks
        for hook in [hook for hook in active if hook not in wanted]:
            hook.deactivate()
        for hook in [hook for hook in wanted if hook not in active]:
            hook.activate()
        active[:] = sorted(wanted, key=lambda hook: -hook.priority)
        chains = ((knobs.runtime.kernel_load_end_hook, HookManager.init_handle), (knobs.runtime.launch_enter_hook, HookManager.enter),
                  (knobs.runtime.launch_exit_hook, HookManager.exit))  # yapf: disable
        for chain, function in chains:
            (chain.add if active else chain.remove)(function)

    @staticmethod
    def activate(session=None):
        HookManager._switch(session, True)

    @staticmethod
    def deactivate(session=None):
        HookManager._switch(session, False)

    @staticmethod
    def register(hook, session):
        HookManager.session_hooks.setdefault(session, {})[hook] = True
        HookManager._update()

    @staticmethod
    def unregister(session=None):
        if session is None:
            HookManager.session_hooks.clear()
        else:
            HookManager.session_hooks.pop(session, None)
        HookManager._update()
